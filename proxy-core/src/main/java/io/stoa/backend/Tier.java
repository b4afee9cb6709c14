// SPDX-License-Identifier: Apache-2.0
package io.stoa.backend;

import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** The directory servers among which operations are spread; the first is the primary. Immutable. */
public record Tier(List<Backend> backends) {
  public Tier {
    backends = List.copyOf(backends);
  }

  /** The server that takes the writes. */
  public Backend primary() {
    return backends.get(0);
  }

  /**
   * The server that is up and has the fewest operations outstanding.
   *
   * @param eligible which servers are asked for
   * @param bias what is added to a server's count, to prefer some
   * @return null if none of them is up
   */
  public @Nullable Backend leastOutstanding(
      Predicate<Backend> eligible, ToIntFunction<Backend> bias) {
    Backend best = null;
    int least = Integer.MAX_VALUE;
    for (Backend backend : backends) {
      if (backend.up() && eligible.test(backend)) {
        int count = backend.outstanding() + bias.applyAsInt(backend);
        if (count < least) {
          best = backend;
          least = count;
        }
      }
    }
    return best;
  }
}

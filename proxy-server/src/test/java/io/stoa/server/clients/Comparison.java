// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.clients;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.cache.result.CacheStats;
import io.stoa.testing.RunningProxy;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * The programme direct and through Stoa, which stands before a twin of the directory. Immutable.
 *
 * @param compared what of a transcript must be equal
 */
record Comparison(
    ClientLibrary library, Target direct, Target throughStoa, UnaryOperator<Transcript> compared) {
  /** What the library says must be the same; returns the result codes of the steps. */
  Map<String, Integer> run() throws Exception {
    Transcript expected = transcript(direct);
    assertThat(expected.differences(transcript(throughStoa))).isEmpty();
    return expected.results();
  }

  private Transcript transcript(Target target) throws Exception {
    return compared.apply(library.run(target));
  }

  /** The same, and what is read once more without a write between comes from memory. */
  void runAgain(RunningProxy stoa) throws Exception {
    CacheStats before = stoa.cache();
    run();
    CacheStats after = stoa.cache();
    assertThat(after.filterHits() - before.filterHits())
        .isGreaterThanOrEqualTo(Programme.REPEATED_SEARCHES);
    assertThat(after.compareHits() - before.compareHits()).isEqualTo(Programme.REPEATED_COMPARES);
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import io.stoa.cache.sharing.Declaration;
import io.stoa.cache.sharing.SharingClass.Attributes;
import io.stoa.testing.People;
import java.time.Duration;
import java.util.List;

/** {@link SlapdWithFeed} of whom all see alike whatever is not said to be their own. Stateless. */
final class UniformSlapdWithFeed {
  private static final Attributes PUBLIC =
      new Attributes(List.of(), List.of("description", "userPassword"));

  private UniformSlapdWithFeed() {}

  /** So many of them; what does not rest on the feed is given for a short while only. */
  static SlapdWithFeedSetup of(int people) {
    List<String> members = List.of("*," + People.PEOPLE);
    Declaration all = new Declaration("people", members, List.of(), People.PEOPLE, PUBLIC, true);
    return SlapdWithFeedSetup.of(people, Duration.ofMillis(200)).sharing(all);
  }
}

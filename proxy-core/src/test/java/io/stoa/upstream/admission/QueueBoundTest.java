// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.admission;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The places of all queues, and how many one identity or client gets. */
class QueueBoundTest {
  private static final int MAX = 100;

  private final QueueBound bound = new QueueBound(() -> MAX);
  private final List<QueueBound.Reservation> taken = new ArrayList<>();

  /** Takes places until none is left to the client, and returns their number. */
  private int fill(String identity, String client) {
    int before = taken.size();
    QueueBound.Reservation next = bound.take(identity, client);
    while (next != null) {
      taken.add(next);
      next = bound.take(identity, client);
    }
    return taken.size() - before;
  }

  @Test
  void oneIdentityGetsMostOfThePlacesAndNotAll() {
    assertThat(fill("a", "a1")).isBetween(MAX * 8 / 10, MAX - 1);
  }

  @Test
  void anIdentityThatHoldsNoPlaceFindsOneUntilAllAreTaken() {
    for (int i = 0; i < MAX; i++) {
      assertThat(bound.take("identity" + i, "client" + i)).isNotNull();
    }
    assertThat(bound.take("one more", "one more")).isNull();
    assertThat(bound.waiting()).isEqualTo(MAX);
  }

  @Test
  void anotherIdentityFindsAPlaceBesideAGreedyOne() {
    fill("greedy", "g1");
    assertThat(bound.take("other", "o1")).isNotNull();
  }

  @Test
  void anotherClientOfTheIdentityFindsAPlaceBesideAGreedyOne() {
    fill("shared", "greedy");
    assertThat(bound.take("shared", "other")).isNotNull();
  }

  @Test
  void aPlaceThatIsGivenBackCanBeTakenAgain() {
    fill("a", "a1");
    taken.get(0).giveBack();
    assertThat(bound.take("a", "a1")).isNotNull();
  }

  @Test
  void allPlacesAreFreeWhenAllAreGivenBack() {
    int max = fill("a", "a1");
    taken.forEach(QueueBound.Reservation::giveBack);
    taken.clear();
    assertThat(bound.waiting()).isZero();
    assertThat(bound.longest()).isEqualTo(max);
    assertThat(fill("a", "a1")).isEqualTo(max);
  }
}

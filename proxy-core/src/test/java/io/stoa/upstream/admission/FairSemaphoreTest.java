// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.protocol.Octets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who gets one of a few places, and when. */
class FairSemaphoreTest {
  private static final int PERMITS = 3;
  private static final Octets MANY = Octets.ofUtf8("many");
  private static final Octets FEW = Octets.ofUtf8("few");

  private final FairSemaphore<String> semaphore = new FairSemaphore<>(PERMITS);

  private String next() {
    return semaphore.next(any -> true);
  }

  private void many(int number) {
    for (int i = 0; i < number; i++) {
      semaphore.add("many " + i, MANY);
    }
  }

  private List<String> entering() {
    List<String> entered = new ArrayList<>();
    for (String next = next(); next != null; next = next()) {
      semaphore.enter(next);
      entered.add(next);
    }
    return entered;
  }

  @Test
  void originsTakeTurns() {
    many(5);
    semaphore.add("few 0", FEW);
    semaphore.add("few 1", FEW);
    assertThat(entering()).containsExactly("many 0", "few 0", "many 1");
    assertThat(semaphore.waiting()).isEqualTo(4);
    assertThat(semaphore.leave("many 0")).isTrue();
    assertThat(entering()).containsExactly("few 1");
    assertThat(semaphore.leave("many 1")).isTrue();
    assertThat(entering()).containsExactly("many 2");
  }

  @Test
  void theLargestHolderIsKnown() {
    many(2);
    entering();
    semaphore.add("few 0", FEW);
    entering();
    assertThat(semaphore.holders()).containsExactly("many 0", "many 1", "few 0");
    assertThat(semaphore.isOfTheLargest("many 0")).isTrue();
    assertThat(semaphore.isOfTheLargest("few 0")).isFalse();
    semaphore.leave("many 1");
    assertThat(semaphore.isOfTheLargest("few 0")).isTrue();
  }

  @Test
  void leavingWhileWaitingFreesNoPermit() {
    many(PERMITS + 1);
    entering();
    assertThat(semaphore.leave("many 3")).isFalse();
    assertThat(semaphore.leave("many 3")).isFalse();
    assertThat(semaphore.waiting()).isZero();
    assertThat(semaphore.leave("many 0")).isFalse();
    assertThat(next()).isNull();
  }

  @Test
  void aBlockedItemIsSkippedAndKeepsItsTurn() {
    many(2);
    semaphore.add("few 0", FEW);
    assertThat(semaphore.next(item -> !item.startsWith("many"))).isEqualTo("few 0");
    assertThat(semaphore.next(item -> false)).isNull();
    assertThat(entering()).containsExactly("many 0", "few 0", "many 1");
    assertThat(semaphore.next(item -> true)).isNull();
  }
}

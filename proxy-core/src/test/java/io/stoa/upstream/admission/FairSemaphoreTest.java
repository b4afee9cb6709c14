// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.protocol.Octets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Who gets one of a few places, and when. */
class FairSemaphoreTest {
  private static final int PLACES = 3;
  private static final Octets MANY = Octets.ofUtf8("many");
  private static final Octets FEW = Octets.ofUtf8("few");

  private final FairSemaphore<String> places = new FairSemaphore<>(PLACES);

  private void many(int number) {
    for (int i = 0; i < number; i++) {
      places.add("many " + i, MANY);
    }
  }

  private List<String> entering() {
    List<String> entered = new ArrayList<>();
    for (String next = places.next(); next != null; next = places.next()) {
      places.enter(next);
      entered.add(next);
    }
    return entered;
  }

  @Test
  void originsTakeTurns() {
    many(5);
    places.add("few 0", FEW);
    places.add("few 1", FEW);
    assertThat(entering()).containsExactly("many 0", "few 0", "many 1");
    assertThat(places.waiting()).isEqualTo(4);
    assertThat(places.leave("many 0")).isTrue();
    assertThat(entering()).containsExactly("few 1");
    assertThat(places.leave("many 1")).isTrue();
    assertThat(entering()).containsExactly("many 2");
  }

  @Test
  void whoeverHasMostIsKnown() {
    many(2);
    entering();
    places.add("few 0", FEW);
    entering();
    assertThat(places.holders()).containsExactly("many 0", "many 1", "few 0");
    assertThat(places.isOfTheLargest("many 0")).isTrue();
    assertThat(places.isOfTheLargest("few 0")).isFalse();
    places.leave("many 1");
    assertThat(places.isOfTheLargest("few 0")).isTrue();
  }

  @Test
  void whatLeavesWhileItWaitsMakesNoRoom() {
    many(PLACES + 1);
    entering();
    assertThat(places.leave("many 3")).isFalse();
    assertThat(places.leave("many 3")).isFalse();
    assertThat(places.waiting()).isZero();
    assertThat(places.leave("many 0")).isFalse();
    assertThat(places.next()).isNull();
  }

  @Test
  void whatCannotEnterYetIsPassedOverAndKeepsItsTurn() {
    many(2);
    places.add("few 0", FEW);
    assertThat(places.next(item -> !item.startsWith("many"))).isEqualTo("few 0");
    assertThat(places.next(item -> false)).isNull();
    assertThat(entering()).containsExactly("many 0", "few 0", "many 1");
    assertThat(places.next(item -> true)).isNull();
  }
}

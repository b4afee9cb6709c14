// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** One object for equal ones, within a bound of memory. */
class InternerTest {
  private static final int SLOTS = 1_024;
  private static final int MAX = 100;

  private final Interner interner = new Interner(SLOTS, MAX);

  private static Octets octets() {
    return Octets.ofUtf8("dc=example,dc=com");
  }

  @Test
  void equalObjectsAreOne() {
    Octets first = interner.intern(octets(), MAX);
    assertThat(interner.intern(octets(), MAX)).isSameAs(first);
  }

  @Test
  void aLargeObjectIsNotKept() {
    Octets large = octets();
    assertThat(interner.intern(large, MAX + 1)).isSameAs(large);
    assertThat(interner.intern(octets(), MAX)).isNotSameAs(large);
  }

  @Test
  void aLargeObjectDoesNotReplaceASmallOne() {
    Octets small = interner.intern(octets(), MAX);
    interner.intern(octets(), MAX + 1);
    assertThat(interner.intern(octets(), MAX)).isSameAs(small);
  }

  @Test
  void aClearedTableKeepsNothing() {
    Octets first = interner.intern(octets(), MAX);
    interner.clear();
    assertThat(interner.intern(octets(), MAX)).isNotSameAs(first);
  }

  @Test
  void differentObjectsStayThemselves() {
    for (int number = 0; number < 100_000; number++) {
      Octets own = Octets.ofUtf8(Integer.toString(number));
      assertThat(interner.intern(own, MAX)).isEqualTo(own);
    }
  }
}

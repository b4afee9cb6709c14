// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.Set;
import java.util.function.BinaryOperator;
import org.junit.jupiter.api.Test;

/** The tables of RFC 4511, section 4.5.1.7, and what UNKNOWN may stand for in them. */
class TruthTest {
  private static final Set<Truth> KNOWN = EnumSet.of(Truth.TRUE, Truth.FALSE, Truth.UNDEFINED);

  @Test
  void theTablesOfTheRfc() {
    assertThat(Truth.TRUE.and(Truth.UNDEFINED)).isEqualTo(Truth.UNDEFINED);
    assertThat(Truth.FALSE.and(Truth.UNDEFINED)).isEqualTo(Truth.FALSE);
    assertThat(Truth.TRUE.or(Truth.UNDEFINED)).isEqualTo(Truth.TRUE);
    assertThat(Truth.FALSE.or(Truth.UNDEFINED)).isEqualTo(Truth.UNDEFINED);
    assertThat(Truth.UNDEFINED.not()).isEqualTo(Truth.UNDEFINED);
    assertThat(Truth.TRUE.and(Truth.TRUE)).isEqualTo(Truth.TRUE);
    assertThat(Truth.FALSE.or(Truth.FALSE)).isEqualTo(Truth.FALSE);
  }

  @Test
  void deMorgan() {
    for (Truth one : Truth.values()) {
      for (Truth other : Truth.values()) {
        assertThat(one.and(other).not()).isEqualTo(one.not().or(other.not()));
        assertThat(one.and(other)).isEqualTo(other.and(one));
        assertThat(one.or(other)).isEqualTo(other.or(one));
      }
      assertThat(one.not().not()).isEqualTo(one == Truth.NO_MATCH ? Truth.UNKNOWN : one);
    }
  }

  /** A result that is known stays what it is, whatever the unknown turns out to be. */
  @Test
  void unknownIsNeverContradicted() {
    for (Truth one : Truth.values()) {
      notContradicted(Truth::and, one);
      notContradicted(Truth::or, one);
    }
  }

  private static void notContradicted(BinaryOperator<Truth> combination, Truth one) {
    Truth result = combination.apply(one, Truth.UNKNOWN);
    for (Truth exact : possible(one)) {
      for (Truth other : KNOWN) {
        assertThat(possible(result)).contains(combination.apply(exact, other));
      }
    }
  }

  private static Set<Truth> possible(Truth truth) {
    return switch (truth) {
      case TRUE, FALSE, UNDEFINED -> EnumSet.of(truth);
      case NO_MATCH -> EnumSet.of(Truth.FALSE, Truth.UNDEFINED);
      case UNKNOWN -> KNOWN;
    };
  }

  @Test
  void theNegationOfNoMatchIsUnknown() {
    assertThat(Truth.NO_MATCH.not()).isEqualTo(Truth.UNKNOWN);
    assertThat(Truth.NO_MATCH.and(Truth.UNKNOWN)).isEqualTo(Truth.NO_MATCH);
    assertThat(Truth.NO_MATCH.or(Truth.FALSE)).isEqualTo(Truth.NO_MATCH);
    assertThat(Truth.NO_MATCH.mayBeTrue()).isFalse();
    assertThat(Truth.UNKNOWN.mayBeTrue()).isTrue();
  }
}

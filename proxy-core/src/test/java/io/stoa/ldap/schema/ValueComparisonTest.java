// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.schema;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.filter.Truth;
import io.stoa.ldap.protocol.Octets;
import org.junit.jupiter.api.Test;

/** Which values are equal, which are not, and of which that is not known. */
class ValueComparisonTest {
  private static Truth equal(ValueComparison comparison, String one, String other) {
    Prepared value = comparison.prepare(one.getBytes(UTF_8), Samples.SLAPD_PROFILE);
    Prepared asserted = comparison.prepare(other.getBytes(UTF_8), Samples.SLAPD_PROFILE);
    if (value.key() == null || asserted.key() == null) {
      return Truth.UNKNOWN;
    }
    if (!value.key().equals(asserted.key())) {
      return Truth.FALSE;
    }
    return value.exact() && asserted.exact() ? Truth.TRUE : Truth.UNKNOWN;
  }

  @Test
  void text() {
    assertThat(equal(ValueComparison.CASE_IGNORE, " A  b ", "a B")).isEqualTo(Truth.TRUE);
    assertThat(equal(ValueComparison.CASE_IGNORE, "ab", "a b")).isEqualTo(Truth.FALSE);
    assertThat(equal(ValueComparison.CASE_IGNORE, "M\u00dcLLER", "m\u00fcller"))
        .isEqualTo(Truth.TRUE);
    assertThat(equal(ValueComparison.CASE_IGNORE, "\u0416", "\u0436")).isEqualTo(Truth.TRUE);
    assertThat(equal(ValueComparison.CASE_EXACT, "A  b", "A b")).isEqualTo(Truth.TRUE);
    assertThat(equal(ValueComparison.CASE_EXACT, "a b", "A b")).isEqualTo(Truth.FALSE);
  }

  /** RFC 4518: mapped to nothing, compatibility forms, characters with more than one folding. */
  @Test
  void textPreparedDifferentlyByDirectoriesIsUnknown() {
    assertThat(equal(ValueComparison.CASE_IGNORE, "so\u00adft", "soft")).isEqualTo(Truth.UNKNOWN);
    assertThat(equal(ValueComparison.CASE_IGNORE, "\ufb01sh", "fish")).isEqualTo(Truth.UNKNOWN);
    assertThat(equal(ValueComparison.CASE_IGNORE, "mu\u0308ller", "m\u00fcller"))
        .isEqualTo(Truth.UNKNOWN);
    assertThat(equal(ValueComparison.CASE_IGNORE, "\u0130stanbul", "istanbul"))
        .isEqualTo(Truth.UNKNOWN);
    assertThat(equal(ValueComparison.CASE_IGNORE, "a\u00a0b", "a b")).isEqualTo(Truth.UNKNOWN);
    assertThat(equal(ValueComparison.CASE_EXACT, "\uff26", "F")).isEqualTo(Truth.UNKNOWN);
    assertThat(equal(ValueComparison.CASE_IGNORE, "\u65e5", "\u672c")).isEqualTo(Truth.FALSE);
  }

  @Test
  void names() {
    assertThat(equal(ValueComparison.DN, "CN=A , dc=com", "2.5.4.3=a,DC=com"))
        .isEqualTo(Truth.TRUE);
    assertThat(equal(ValueComparison.DN, "cn=a+sn=b", "SN=B+cn=A")).isEqualTo(Truth.TRUE);
    assertThat(equal(ValueComparison.DN, "cn=a\\2C b", "cn=A\\, B")).isEqualTo(Truth.TRUE);
    assertThat(equal(ValueComparison.DN, "cn=a,dc=com", "cn=b,dc=com")).isEqualTo(Truth.FALSE);
    assertThat(equal(ValueComparison.DN, "telephoneNumber=1 2", "telephoneNumber=12"))
        .isEqualTo(Truth.UNKNOWN);
    assertThat(equal(ValueComparison.DN, "unknown=a", "unknown=b")).isEqualTo(Truth.UNKNOWN);
  }

  @Test
  void numbers() {
    assertThat(equal(ValueComparison.TELEPHONE_NUMBER, "+49 30-1", "+49301")).isEqualTo(Truth.TRUE);
    assertThat(equal(ValueComparison.NUMERIC_STRING, "1 2", "12")).isEqualTo(Truth.TRUE);
    assertThat(equal(ValueComparison.INTEGER, "7", "-7")).isEqualTo(Truth.FALSE);
    assertThat(Syntax.INTEGER.isSurelyValid("07".getBytes(UTF_8))).isFalse();
    assertThat(Syntax.INTEGER.isSurelyInvalid("07".getBytes(UTF_8))).isFalse();
    assertThat(Syntax.INTEGER.isSurelyInvalid("x".getBytes(UTF_8))).isTrue();
  }

  @Test
  void order() {
    assertThat(ValueComparison.INTEGER.order(key("9"), key("10"))).isNegative();
    assertThat(ValueComparison.INTEGER.order(key("-9"), key("-10"))).isPositive();
    assertThat(ValueComparison.CASE_IGNORE.order(key("a"), key("ab"))).isNegative();
    assertThat(ValueComparison.CASE_IGNORE.order(key("\u00e4"), key("b"))).isNull();
    assertThat(ValueComparison.TELEPHONE_NUMBER.order(key("1"), key("2"))).isNull();
  }

  private static Octets key(String text) {
    return Octets.ofUtf8(text);
  }
}

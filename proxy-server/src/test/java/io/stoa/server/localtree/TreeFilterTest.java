// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.localtree;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.filter.Truth;
import io.stoa.ldap.protocol.FilterNode;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class TreeFilterTest {
  private static final TreeEntry ENTRY =
      new TreeEntry("cn=monitor")
          .add("objectClass", "top", "monitorServer")
          .add("cn", "monitor")
          .add("version", "Stoa 1.0")
          .add("hits", "9")
          .add("balance", "-5");

  private static final TypeHierarchy KINDS =
      new TypeHierarchy(Map.of("Hits", "counter", "monitorServer", "monitor", "monitor", "top2"));

  private static final Set<String> KNOWN =
      Stream.concat(ENTRY.keys().stream(), Stream.of("elsewhere", "counter"))
          .collect(Collectors.toSet());

  private static final FilterNode TRUE = new FilterNode.Present(octets("cn"));
  private static final FilterNode FALSE = new FilterNode.Equality(octets("cn"), octets("x"));
  private static final FilterNode UNDEFINED = new FilterNode.Present(octets("unknown"));

  @ParameterizedTest
  @ValueSource(strings = {"cn", "CN", "objectclass", "HITS"})
  void presence(String attribute) {
    assertThat(evaluate(new FilterNode.Present(octets(attribute)))).isEqualTo(Truth.TRUE);
  }

  @ParameterizedTest
  @CsvSource({
    "cn, monitor, TRUE",
    "CN, MONITOR, TRUE",
    "cn, monito, FALSE",
    "objectClass, MonitorServer, TRUE",
    "objectClass, person, FALSE",
    "hits, 9, TRUE",
    "hits, 09, TRUE",
    "hits, 10, FALSE",
    "hits, nine, FALSE",
    "Elsewhere, x, FALSE",
    "counter, 9, TRUE",
    "Counter, 10, FALSE",
    "objectClass, Monitor, TRUE",
    "objectClass, top2, TRUE",
    "cn, counter, FALSE",
    "unknown, x, UNDEFINED",
    "cn;lang-en, monitor, UNDEFINED",
  })
  void equality(String attribute, String value, Truth expected) {
    assertThat(evaluate(new FilterNode.Equality(octets(attribute), octets(value))))
        .isEqualTo(expected);
    assertThat(evaluate(new FilterNode.Approximate(octets(attribute), octets(value))))
        .isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "hits, 9, TRUE, TRUE",
    "hits, 10, FALSE, TRUE",
    "hits, 8, TRUE, FALSE",
    "hits, 99999999999999999999999, FALSE, TRUE",
    "balance, -6, TRUE, FALSE",
    "cn, monitor, TRUE, TRUE",
    "cn, A, TRUE, FALSE",
    "cn, z, FALSE, TRUE",
    "unknown, 1, UNDEFINED, UNDEFINED",
  })
  void ordering(String attribute, String value, Truth atLeast, Truth atMost) {
    byte[] name = octets(attribute);
    assertThat(evaluate(new FilterNode.GreaterOrEqual(name, octets(value)))).isEqualTo(atLeast);
    assertThat(evaluate(new FilterNode.LessOrEqual(name, octets(value)))).isEqualTo(atMost);
  }

  @Test
  void substrings() {
    assertThat(matches("stoa", List.of(), null)).isEqualTo(Truth.TRUE);
    assertThat(matches("stoa", List.of("1"), "0")).isEqualTo(Truth.TRUE);
    assertThat(matches(null, List.of("OA", "."), null)).isEqualTo(Truth.TRUE);
    assertThat(matches(null, List.of(), "1.0")).isEqualTo(Truth.TRUE);
    assertThat(matches("oa", List.of(), null)).isEqualTo(Truth.FALSE);
    assertThat(matches(null, List.of(".", "oa"), null)).isEqualTo(Truth.FALSE);
    assertThat(matches("stoa 1", List.of(), "1.0")).isEqualTo(Truth.FALSE);
    assertThat(matches(null, List.of("1x0"), null)).isEqualTo(Truth.FALSE);
  }

  /** Parts may not overlap, and many that almost match take no longer than few. */
  @Test
  void substringsMayNotOverlap() {
    assertThat(matches("stoa 1.", List.of(), ".0")).isEqualTo(Truth.FALSE);
    assertThat(matches("stoa", List.of("oa"), null)).isEqualTo(Truth.FALSE);
    TreeEntry zeros = new TreeEntry("cn=monitor").add("hits", "0".repeat(500));
    FilterNode filter =
        new FilterNode.Substrings(
            octets("hits"), null, Collections.nCopies(250, octets("0")), octets("1"));
    assertThat(new TreeFilter(zeros, zeros.keys(), TypeHierarchy.NONE).evaluate(filter))
        .isEqualTo(Truth.FALSE);
  }

  @Test
  void substringsOfAnUnknownAttribute() {
    FilterNode filter = new FilterNode.Substrings(octets("unknown"), octets("a"), List.of(), null);
    assertThat(evaluate(filter)).isEqualTo(Truth.UNDEFINED);
  }

  @Test
  void absoluteTrueAndFalse() {
    assertThat(evaluate(new FilterNode.And(List.of()))).isEqualTo(Truth.TRUE);
    assertThat(evaluate(new FilterNode.Or(List.of()))).isEqualTo(Truth.FALSE);
  }

  @Test
  void followsThreeValuedLogic() {
    assertThat(evaluate(new FilterNode.Not(TRUE))).isEqualTo(Truth.FALSE);
    assertThat(evaluate(new FilterNode.Not(FALSE))).isEqualTo(Truth.TRUE);
    assertThat(evaluate(new FilterNode.Not(UNDEFINED))).isEqualTo(Truth.UNDEFINED);
    assertThat(and(TRUE, UNDEFINED)).isEqualTo(Truth.UNDEFINED);
    assertThat(and(FALSE, UNDEFINED)).isEqualTo(Truth.FALSE);
    assertThat(and(UNDEFINED, FALSE)).isEqualTo(Truth.FALSE);
    assertThat(and(TRUE, TRUE)).isEqualTo(Truth.TRUE);
    assertThat(or(FALSE, UNDEFINED)).isEqualTo(Truth.UNDEFINED);
    assertThat(or(UNDEFINED, TRUE)).isEqualTo(Truth.TRUE);
    assertThat(or(FALSE, FALSE)).isEqualTo(Truth.FALSE);
  }

  @ParameterizedTest
  @EnumSource(
      value = Truth.class,
      names = {"TRUE", "FALSE", "UNDEFINED"})
  void deMorgan(Truth a) {
    for (Truth b : List.of(Truth.TRUE, Truth.FALSE, Truth.UNDEFINED)) {
      assertThat(a.and(b).not()).isEqualTo(a.not().or(b.not()));
      assertThat(a.and(b)).isEqualTo(b.and(a));
      assertThat(a.or(b)).isEqualTo(b.or(a));
    }
  }

  @Test
  void matchingRulesAreUnknown() {
    FilterNode rule =
        new FilterNode.Extensible(octets("caseExactMatch"), octets("cn"), octets("x"), false);
    assertThat(evaluate(rule)).isEqualTo(Truth.UNDEFINED);
  }

  private static Truth matches(String initial, List<String> any, String last) {
    return evaluate(
        new FilterNode.Substrings(
            octets("version"),
            initial == null ? null : octets(initial),
            any.stream().map(TreeFilterTest::octets).toList(),
            last == null ? null : octets(last)));
  }

  private static Truth and(FilterNode... members) {
    return evaluate(new FilterNode.And(List.of(members)));
  }

  private static Truth or(FilterNode... members) {
    return evaluate(new FilterNode.Or(List.of(members)));
  }

  private static Truth evaluate(FilterNode filter) {
    return new TreeFilter(ENTRY, KNOWN, KINDS).evaluate(filter);
  }

  private static byte[] octets(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What cookies of OpenLDAP say, and what is made of them. */
class CookieTest {
  private static final String ONE = "20260101000000.000001Z#000000#001#000000";
  private static final String ONE_LATER = "20260101000000.000002Z#000000#001#000000";
  private static final String TWO = "20260101000000.000003Z#000000#002#000000";

  private static Cookie parse(String text) {
    return Cookie.parse(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String sent(Cookie cookie) {
    return new String(cookie.encode(7), StandardCharsets.UTF_8);
  }

  @Test
  void parsesServerCookies() {
    assertThat(parse("rid=001,csn=" + ONE + ";" + TWO)).isEqualTo(Cookie.of(List.of(TWO, ONE)));
    assertThat(parse("rid=001,sid=002,csn=" + ONE)).isEqualTo(Cookie.of(List.of(ONE)));
    assertThat(parse("csn=" + ONE + ",rid=001,delcsn=" + TWO)).isEqualTo(Cookie.of(List.of(ONE)));
  }

  @Test
  void anUnreadableCookieIsEmpty() {
    for (String other :
        List.of("", "rid=001", "rid=001,csn=", "csn=;;", "csn=2026", "host:389#cn=x#12", "\0,,")) {
      assertThat(parse(other)).isEqualTo(Cookie.NONE);
      assertThat(parse(other).isEmpty()).isTrue();
    }
    assertThat(Cookie.parse(new byte[] {(byte) 0xFF, (byte) 0xC3})).isEqualTo(Cookie.NONE);
    assertThat(parse("csn=x;" + ONE)).isEqualTo(Cookie.of(List.of(ONE)));
  }

  @Test
  void theLaterCsnOfEachServerCounts() {
    Cookie both = Cookie.of(List.of(ONE, TWO));
    assertThat(both.merge(Cookie.of(List.of(ONE_LATER))))
        .isEqualTo(parse("csn=" + ONE_LATER + ";" + TWO));
    assertThat(Cookie.of(List.of(ONE_LATER)).merge(both))
        .isEqualTo(parse("csn=" + ONE_LATER + ";" + TWO));
    assertThat(both.merge(null)).isEqualTo(both);
    assertThat(both.merge(Cookie.NONE)).isEqualTo(both);
    assertThat(Cookie.NONE.merge(both)).isEqualTo(both);
    assertThat(Cookie.of(List.of(ONE_LATER, ONE))).isEqualTo(Cookie.of(List.of(ONE_LATER)));
  }

  @Test
  void coversEqualAndEarlierCsns() {
    Cookie both = Cookie.of(List.of(ONE, TWO));
    assertThat(both.covers(Cookie.of(List.of(ONE)))).isTrue();
    assertThat(both.covers(Cookie.NONE)).isTrue();
    assertThat(both.covers(Cookie.of(List.of(ONE_LATER)))).isFalse();
    assertThat(Cookie.of(List.of(TWO)).covers(both)).isFalse();
  }

  /** A provider leaves out what was done on the server whose ID the cookie names. */
  @Test
  void isSentInOrderAndWithoutServerId() {
    assertThat(sent(parse("rid=003,sid=001,csn=" + TWO + ";" + ONE)))
        .isEqualTo("rid=007,csn=" + ONE + ";" + TWO);
    assertThat(parse(sent(Cookie.of(List.of(TWO, ONE))))).isEqualTo(Cookie.of(List.of(ONE, TWO)));
  }

  @Test
  void isAPositionInItsNamingContext() {
    assertThat(Cookie.of(List.of(ONE, TWO)).position("dc=x").marks())
        .isEqualTo(Map.of("dc=x#001", ONE, "dc=x#002", TWO));
    assertThat(Cookie.NONE.position("dc=x").isEmpty()).isTrue();
  }

  @Test
  void namesItsSingleChange() {
    assertThat(Cookie.of(List.of(ONE)).single()).hasToString("Csn[text=" + ONE + "]");
    assertThat(Cookie.of(List.of(ONE, TWO)).single()).isNull();
    assertThat(Cookie.NONE.single()).isNull();
  }
}

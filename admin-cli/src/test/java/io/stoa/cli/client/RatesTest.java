// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldif.LDIFException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RatesTest {
  private static EntryValues facts(String dn, String... lines) {
    List<String> all = new ArrayList<>(List.of("dn: " + dn, "objectClass: top"));
    all.addAll(List.of(lines));
    try {
      return new EntryValues(new Entry(all.toArray(String[]::new)));
    } catch (LDIFException e) {
      throw new AssertionError(e);
    }
  }

  private static Monitor reading(long second, long done, long hits, long misses, long nanos) {
    return new Monitor(
        facts("cn=monitor", "opscompleted: " + done),
        facts("cn=Caches", "hits: " + hits, "misses: " + misses),
        second,
        List.of(facts("cn=server 1", "olmServerURI: ldap://a", "olmCompletedOps: " + done)),
        List.of(),
        Map.of(
            "search",
            facts("cn=Search", "monitorOpCompleted: " + done, "stoaNanos: " + nanos),
            "add",
            facts("cn=Add", "monitorOpCompleted: 0", "stoaNanos: 0"),
            "bind",
            facts("cn=Bind", "monitorOpCompleted: " + done)),
        second * 1_000_000_000);
  }

  @Test
  void ratesAreComputedPerSecond() {
    Rates rates = new Rates(reading(10, 100, 50, 50, 0), reading(14, 501, 90, 60, 802_000_000));
    assertThat(rates.seconds()).isEqualTo(4);
    assertThat(rates.operations()).as("but for the reading itself").isEqualTo(100);
    assertThat(rates.operations("search")).isEqualTo(100);
    assertThat(rates.millis("search")).isEqualTo(2);
    assertThat(rates.share("hits", "misses")).isEqualTo(0.8);
    assertThat(rates.answers(rates.now().backends().get(0))).isEqualTo(401 / 4.0);
  }

  @Test
  void anUnknownRateIsNull() {
    Rates rates = new Rates(reading(1, 100, 5, 5, 0), reading(2, 101, 5, 5, 0));
    assertThat(rates.share("hits", "misses")).as("nothing was looked up").isNull();
    assertThat(rates.millis("add")).as("there was none").isNull();
    assertThat(rates.millis("bind")).as("the server does not tell").isNull();
    assertThat(rates.operations("rename")).isNull();
    assertThat(rates.answers(facts("cn=server 2", "olmServerURI: ldap://b"))).isNull();
  }
}

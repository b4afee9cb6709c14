// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.SearchEntry;
import io.stoa.ldap.SearchEntry.AttributeOctets;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class MonitorEntryTest {
  /** The whole list of the IBM Directory Server 5.1 guide. */
  private static final List<String> GUIDE =
      List.of(
          "version",
          "totalconnections",
          "currentconnections",
          "maxconnections",
          "writewaiters",
          "readwaiters",
          "opsinitiated",
          "opscompleted",
          "livethreads",
          "entriessent",
          "searchesrequested",
          "searchescompleted",
          "filter_cache_size",
          "filter_cache_current",
          "filter_cache_hit",
          "filter_cache_miss",
          "filter_cache_bypass_limit",
          "entry_cache_size",
          "entry_cache_current",
          "entry_cache_hit",
          "entry_cache_miss",
          "acl_cache",
          "acl_cache_size",
          "currenttime",
          "starttime",
          "en_currentregs",
          "en_notificationssent");

  private static final MonitorEntry ENTRY =
      new MonitorEntry("cn=monitor").add("objectClass", "top", "b").add("cn", "monitor");

  @Test
  void allAttributesOfTheGuideAreThere() {
    List<String> names = MonitorAttributes.ALL.stream().map(MonitorAttribute::name).toList();
    assertThat(names).containsAll(GUIDE).doesNotHaveDuplicates();
    assertThat(names).allSatisfy(n -> assertThat(n).isEqualTo(n.toLowerCase(Locale.ROOT)));
  }

  @Test
  void eachKindOfOperationHasItsPair() {
    List<String> names = MonitorAttributes.ALL.stream().map(MonitorAttribute::name).toList();
    Stream.of("binds", "unbinds", "searches", "compares", "modifies", "modrdns", "adds")
        .forEach(kind -> assertThat(names).contains(kind + "requested", kind + "completed"));
    Stream.of("deletes", "abandons", "extops")
        .forEach(kind -> assertThat(names).contains(kind + "requested", kind + "completed"));
  }

  @Test
  void everythingIsAUserAttribute() throws Exception {
    assertThat(selected()).containsExactly("objectClass: top b", "cn: monitor");
    assertThat(selected("*")).isEqualTo(selected());
    assertThat(selected("*", "+", "unknown")).isEqualTo(selected());
    assertThat(selected("+")).isEmpty();
  }

  @Test
  void namesInAnyCase() throws Exception {
    assertThat(selected("CN")).containsExactly("cn: monitor");
    assertThat(selected("objectclass", "cn", "CN")).isEqualTo(selected());
    assertThat(selected("unknown")).isEmpty();
    assertThat(selected("1.1")).isEmpty();
    assertThat(selected("1.1", "cn")).containsExactly("cn: monitor");
  }

  @Test
  void typesOnly() throws Exception {
    SearchEntry entry = SearchEntry.parse(ENTRY.encode(AttributeList.of(List.of()), true));
    for (AttributeOctets attribute : entry.attributes()) {
      assertThat(attribute.values()).isEmpty();
    }
    assertThat(entry.attributes()).hasSize(2);
  }

  private static List<String> selected(String... names) throws Exception {
    List<byte[]> list =
        Stream.of(names).map(name -> name.getBytes(StandardCharsets.UTF_8)).toList();
    SearchEntry entry = SearchEntry.parse(ENTRY.encode(AttributeList.of(list), false));
    assertThat(text(entry.dn())).isEqualTo("cn=monitor");
    List<String> lines = new ArrayList<>();
    for (AttributeOctets attribute : entry.attributes()) {
      List<String> values = attribute.values().stream().map(MonitorEntryTest::text).toList();
      lines.add(text(attribute.type()) + ": " + String.join(" ", values));
    }
    return lines;
  }

  private static String text(byte[] octets) {
    return new String(octets, StandardCharsets.UTF_8);
  }
}

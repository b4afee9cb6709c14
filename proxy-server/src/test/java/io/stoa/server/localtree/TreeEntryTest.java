// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.localtree;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.SearchEntry.AttributeOctets;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class TreeEntryTest {
  private static final TypeHierarchy KINDS = new TypeHierarchy(Map.of("cn", "name"));

  private static final TreeEntry ENTRY =
      new TreeEntry("cn=monitor")
          .add("objectClass", "top", "b")
          .add("cn", "monitor")
          .add("nothing")
          .operational("entryDN", "cn=monitor");

  @Test
  void operationalAttributesAreSelectedByRequest() throws Exception {
    assertThat(selected()).containsExactly("objectClass: top b", "cn: monitor");
    assertThat(selected("*")).isEqualTo(selected());
    assertThat(selected("*", "unknown")).isEqualTo(selected());
    assertThat(selected("+")).containsExactly("entryDN: cn=monitor");
    assertThat(selected("entrydn", "CN")).containsExactly("cn: monitor", "entryDN: cn=monitor");
    assertThat(selected("*", "+")).hasSize(3);
  }

  @Test
  void aSupertypeSelectsItsSubtypes() throws Exception {
    assertThat(selected("Name")).containsExactly("cn: monitor");
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
    SearchEntry entry =
        SearchEntry.parse(ENTRY.encode(AttributeList.of(List.of(), TypeHierarchy.NONE), true));
    for (AttributeOctets attribute : entry.attributes()) {
      assertThat(attribute.values()).isEmpty();
    }
    assertThat(entry.attributes()).hasSize(2);
  }

  private static List<String> selected(String... names) throws Exception {
    List<byte[]> list =
        Stream.of(names).map(name -> name.getBytes(StandardCharsets.UTF_8)).toList();
    SearchEntry entry = SearchEntry.parse(ENTRY.encode(AttributeList.of(list, KINDS), false));
    assertThat(text(entry.dn())).isEqualTo("cn=monitor");
    List<String> lines = new ArrayList<>();
    for (AttributeOctets attribute : entry.attributes()) {
      List<String> values = attribute.values().stream().map(TreeEntryTest::text).toList();
      lines.add(text(attribute.type()) + ": " + String.join(" ", values));
    }
    return lines;
  }

  private static String text(byte[] octets) {
    return new String(octets, StandardCharsets.UTF_8);
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin;

import io.stoa.ldap.BerReader;
import io.stoa.ldap.BerWriter;
import io.stoa.ldap.SearchEntry;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** An entry whose values are text. Not thread-safe while it is filled, then immutable. */
final class MonitorEntry {
  private final String dn;
  private final Map<String, Attribute> attributes = new LinkedHashMap<>();

  /**
   * @param name as it is spelled in answers
   */
  private record Attribute(String name, List<String> values) {}

  MonitorEntry(String dn) {
    this.dn = dn;
  }

  MonitorEntry add(String name, String... values) {
    attributes.put(fold(name), new Attribute(name, List.of(values)));
    return this;
  }

  /** The values of an attribute, whose name is taken in any case; empty if there are none. */
  List<String> values(String name) {
    Attribute attribute = attributes.get(fold(name));
    return attribute == null ? List.of() : attribute.values();
  }

  /** The entry as a protocolOp. */
  byte[] encode(AttributeList wanted, boolean typesOnly) {
    List<byte[]> encoded = new ArrayList<>();
    attributes.forEach(
        (key, attribute) -> {
          if (wanted.selects(key)) {
            encoded.add(encode(attribute, typesOnly));
          }
        });
    return SearchEntry.encode(utf8(dn), encoded);
  }

  static String fold(String name) {
    return name.toLowerCase(Locale.ROOT);
  }

  private static byte[] encode(Attribute attribute, boolean typesOnly) {
    BerWriter writer = new BerWriter(64);
    int outer = writer.begin(BerReader.SEQUENCE);
    writer.octets(BerReader.OCTET_STRING, utf8(attribute.name()));
    int set = writer.begin(BerReader.SET);
    if (!typesOnly) {
      attribute.values().forEach(value -> writer.octets(BerReader.OCTET_STRING, utf8(value)));
    }
    return writer.end(set).end(outer).toByteArray();
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

import io.stoa.ldap.protocol.Ascii;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.SearchEntry.AttributeOctets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The contents of a search response, without regard to order and spelling. Two responses are equal
 * if they have the same result code and the same entries, with the same attributes and values.
 *
 * <p>DNs and values are compared octet by octet, since one directory always spells them alike.
 * Attribute descriptions are compared without regard to letter case.
 *
 * <p>Threading: immutable.
 *
 * @param code the result code
 * @param entries the entries by DN; each holds its values by attribute description
 * @param count number of entries received; a DN that arrives twice counts twice
 */
public record ResponseContents(int code, Map<Octets, Map<Octets, Set<Octets>>> entries, int count) {
  /**
   * Estimated octets of a name or value in a map or set: 80. An empty map or set takes {@link
   * #MAP}.
   */
  private static final int EACH = 80;

  private static final int MAP = 200;

  public ResponseContents {
    entries = Map.copyOf(entries);
  }

  /**
   * Parses a response.
   *
   * @param entries SearchResultEntry protocolOps
   * @throws LdapProtocolException if one of them is malformed
   */
  public static ResponseContents of(int code, List<byte[]> entries) throws LdapProtocolException {
    Map<Octets, Map<Octets, Set<Octets>>> read = new HashMap<>();
    for (byte[] op : entries) {
      SearchEntry entry = SearchEntry.parse(op);
      read.put(Octets.of(entry.dn()), attributes(entry));
    }
    return new ResponseContents(code, read, entries.size());
  }

  private static Map<Octets, Set<Octets>> attributes(SearchEntry entry) {
    Map<Octets, Set<Octets>> read = new HashMap<>();
    for (AttributeOctets attribute : entry.attributes()) {
      Set<Octets> values =
          read.computeIfAbsent(Octets.of(lower(attribute.type())), none -> new HashSet<>());
      attribute.values().forEach(value -> values.add(Octets.of(value)));
    }
    return read;
  }

  private static byte[] lower(byte[] description) {
    return Ascii.lower(description, 0, description.length);
  }

  /** Returns the estimated memory in octets. */
  public long octets() {
    long octets = EACH + MAP;
    for (Map.Entry<Octets, Map<Octets, Set<Octets>>> entry : entries.entrySet()) {
      octets += EACH + entry.getKey().length() + MAP;
      for (Map.Entry<Octets, Set<Octets>> attribute : entry.getValue().entrySet()) {
        octets += EACH + attribute.getKey().length() + MAP;
        octets += attribute.getValue().stream().mapToLong(value -> EACH + value.length()).sum();
      }
    }
    return octets;
  }

  /** Returns the DNs of entries that are missing in one response or differ, in a fixed order. */
  public List<Octets> differing(ResponseContents other) {
    Set<Octets> names = new TreeSet<>(entries.keySet());
    names.addAll(other.entries.keySet());
    names.removeIf(
        name -> {
          Map<Octets, Set<Octets>> values = entries.get(name);
          return values != null && values.equals(other.entries.get(name));
        });
    return new ArrayList<>(names);
  }
}

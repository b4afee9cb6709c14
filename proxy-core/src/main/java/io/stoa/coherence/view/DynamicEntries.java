// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.SearchEntry.AttributeOctets;
import java.util.List;
import java.util.Locale;

/**
 * Entries that a directory shows in another way than somebody has written them: a dynamic group has
 * the members that a search finds, and an entry may cease to be by itself. Stateless.
 */
public final class DynamicEntries {
  private static final String OBJECT_CLASS = "objectClass";
  private static final String DYNAMIC = "dynamicobject";
  private static final String SEARCH = "ldap:";

  /** What tells such an entry from others. */
  public static final List<String> TYPES = List.of("memberURL", "labeledURI", OBJECT_CLASS);

  private DynamicEntries() {}

  /** Whether it is such an entry, of which {@link #TYPES} have been read. */
  public static boolean is(SearchEntry entry) {
    return entry.attributes().stream().anyMatch(DynamicEntries::tells);
  }

  private static boolean tells(AttributeOctets attribute) {
    String type = new String(attribute.type(), UTF_8);
    if (TYPES.stream().noneMatch(type::equalsIgnoreCase)) {
      return false;
    }
    boolean ofClass = type.equalsIgnoreCase(OBJECT_CLASS);
    return attribute.values().stream()
        .map(value -> new String(value, UTF_8).toLowerCase(Locale.ROOT))
        .anyMatch(value -> ofClass ? value.equals(DYNAMIC) : value.startsWith(SEARCH));
  }
}

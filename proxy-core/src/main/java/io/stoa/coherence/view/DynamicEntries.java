// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.SearchEntry.AttributeOctets;
import java.util.List;
import java.util.Locale;

/**
 * Recognizes entries that a directory shows otherwise than a client has written them: a dynamic
 * group shows the members that a search finds, and a dynamic object (RFC 2589) expires by itself.
 *
 * <p>Threading: stateless.
 */
public final class DynamicEntries {
  private static final String OBJECT_CLASS = "objectClass";
  private static final String DYNAMIC = "dynamicobject";
  private static final String SEARCH = "ldap:";

  /** Attributes that mark such an entry. */
  public static final List<String> TYPES = List.of("memberURL", "labeledURI", OBJECT_CLASS);

  private DynamicEntries() {}

  /** True if an entry is dynamic; its {@link #TYPES} must have been read. */
  public static boolean isDynamic(SearchEntry entry) {
    return entry.attributes().stream().anyMatch(DynamicEntries::marksDynamic);
  }

  private static boolean marksDynamic(AttributeOctets attribute) {
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

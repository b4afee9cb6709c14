// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.event;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.stoa.ldap.protocol.SearchEntry;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The attributes in which directories keep rules of access with entries: {@code aci} of 389-ds and
 * OpenDJ, and what OpenLDAP and Active Directory have instead. Such a rule is about the entry, or
 * what is below it. Stateless.
 */
public final class RightsAttributes {
  private static final String OF_ACI = "2.16.840.1.113730.3.1.55";
  private static final String OF_OPENLDAP = "1.3.6.1.4.1.4203.666.1.5";
  private static final String OF_DESCRIPTOR = "1.2.840.113556.1.2.281";

  private static final Set<String> TYPES =
      Set.of("aci", OF_ACI, "openldapaci", OF_OPENLDAP, "ntsecuritydescriptor", OF_DESCRIPTOR);

  private RightsAttributes() {}

  /** Whether that is the description of one. */
  public static boolean isOne(String description) {
    int options = description.indexOf(';');
    String type = options < 0 ? description : description.substring(0, options);
    return TYPES.contains(type.trim().toLowerCase(Locale.ROOT));
  }

  /** Whether one of these is. */
  public static boolean areAmong(List<byte[]> descriptions) {
    return descriptions.stream().anyMatch(one -> isOne(new String(one, ISO_8859_1)));
  }

  /** Whether an entry shows one. */
  public static boolean areIn(SearchEntry entry) {
    return areAmong(entry.attributes().stream().map(SearchEntry.AttributeOctets::type).toList());
  }
}

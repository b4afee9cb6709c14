// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.event;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.stoa.ldap.protocol.SearchEntry;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Attributes that hold access rules in entries: {@code aci} of 389-ds and OpenDJ, {@code
 * OpenLDAPaci}, and {@code nTSecurityDescriptor} of Active Directory. Such a rule governs its entry
 * or the subtree below it.
 *
 * <p>Threading: stateless.
 */
public final class RightsAttributes {
  private static final String OF_ACI = "2.16.840.1.113730.3.1.55";
  private static final String OF_OPENLDAP = "1.3.6.1.4.1.4203.666.1.5";
  private static final String OF_DESCRIPTOR = "1.2.840.113556.1.2.281";

  private static final Set<String> TYPES =
      Set.of("aci", OF_ACI, "openldapaci", OF_OPENLDAP, "ntsecuritydescriptor", OF_DESCRIPTOR);

  private RightsAttributes() {}

  /** True if the attribute description names such an attribute. */
  public static boolean isAccessRule(String description) {
    int options = description.indexOf(';');
    String type = options < 0 ? description : description.substring(0, options);
    return TYPES.contains(type.trim().toLowerCase(Locale.ROOT));
  }

  /** True if one of the attribute descriptions names such an attribute. */
  public static boolean containAccessRule(List<byte[]> descriptions) {
    return descriptions.stream().anyMatch(one -> isAccessRule(new String(one, ISO_8859_1)));
  }

  /** True if the entry contains such an attribute. */
  public static boolean hasAccessRule(SearchEntry entry) {
    return containAccessRule(
        entry.attributes().stream().map(SearchEntry.AttributeOctets::type).toList());
  }
}

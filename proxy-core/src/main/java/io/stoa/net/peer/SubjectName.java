// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.peer;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Map.Entry;
import java.util.stream.Collectors;
import javax.security.auth.x500.X500Principal;

/**
 * Writes the subject of a certificate in one canonical form: RFC 2253, with names instead of OIDs
 * for all attributes in common use. A directory can read the result as a DN.
 *
 * <p>Threading: stateless.
 */
public final class SubjectName {
  /**
   * Names by OID for attributes that RFC 2253 does not name. Without a name, the value would be
   * written as hexadecimal BER.
   */
  private static final Map<String, String> NAMES =
      Map.ofEntries(
          Map.entry("1.2.840.113549.1.9.1", "emailAddress"),
          Map.entry("2.5.4.4", "sn"),
          Map.entry("2.5.4.5", "serialNumber"),
          Map.entry("2.5.4.12", "title"),
          Map.entry("2.5.4.13", "description"),
          Map.entry("2.5.4.15", "businessCategory"),
          Map.entry("2.5.4.17", "postalCode"),
          Map.entry("2.5.4.42", "givenName"),
          Map.entry("2.5.4.43", "initials"),
          Map.entry("2.5.4.44", "generationQualifier"),
          Map.entry("2.5.4.46", "dnQualifier"),
          Map.entry("2.5.4.65", "pseudonym"),
          Map.entry("2.5.4.97", "organizationIdentifier"));

  private static final Map<String, String> OIDS =
      NAMES.entrySet().stream()
          .collect(
              Collectors.toUnmodifiableMap(
                  name -> name.getValue().toUpperCase(Locale.ROOT), Entry::getKey));

  private SubjectName() {}

  /** Returns the canonical text of a subject. */
  public static String of(X500Principal subject) {
    return subject.getName(X500Principal.RFC2253, new HashMap<>(NAMES));
  }

  /**
   * Parses a subject from a configuration and returns its canonical text.
   *
   * @throws IllegalArgumentException if the text is not a subject
   */
  public static String parse(String text) {
    return of(new X500Principal(text, new HashMap<>(OIDS)));
  }
}

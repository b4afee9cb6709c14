// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.external;

import com.unboundid.ldap.sdk.DN;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.RDN;
import io.stoa.ldap.protocol.Octets;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An authorization identity (RFC 4513, section 5.2.1.8) with <code>{name}</code> in place of values
 * of the client. A value stays one value of a DN, whatever its characters.
 *
 * <p>Threading: immutable.
 */
final class AuthzIdTemplate {
  private static final String DN_FORM = "dn:";
  private static final String USER_FORM = "u:";
  private static final String WHOLE_SUBJECT = DN_FORM + "{" + SubjectPattern.SUBJECT + "}";

  /** Characters with a meaning in a DN. A directory makes a user name a part of a DN. */
  private static final String SPECIAL = ",+\"\\<>;=#";

  /** Maximum octets of an identity: 1024, since it is sent with each request. */
  private static final int MAX_OCTETS = 1024;

  private final String text;
  private final RDN @Nullable [] rdns;

  private AuthzIdTemplate(String text, RDN @Nullable [] rdns) {
    this.text = text;
    this.rdns = rdns;
  }

  /**
   * Parses a template.
   *
   * @throws IllegalArgumentException if the text is malformed
   */
  static AuthzIdTemplate parse(String text) {
    boolean user = text.startsWith(USER_FORM) && text.length() > USER_FORM.length();
    if (user || text.equals(WHOLE_SUBJECT)) {
      return new AuthzIdTemplate(text, null);
    }
    if (!text.startsWith(DN_FORM) || !DN.isValidDN(text.substring(DN_FORM.length()))) {
      throw new IllegalArgumentException(
          "'" + text + "' is not an authorization identity: write dn:DN or u:USER");
    }
    return new AuthzIdTemplate(text, rdns(text));
  }

  private static RDN[] rdns(String text) {
    RDN[] rdns = parsed(text).getRDNs();
    if (rdns.length == 0) {
      throw new IllegalArgumentException(
          "'"
              + text
              + "' is the anonymous identity, which cannot be assigned: write a DN after dn:");
    }
    return rdns;
  }

  private static DN parsed(String text) {
    try {
      return new DN(text.substring(DN_FORM.length()));
    } catch (LDAPException e) {
      throw new IllegalArgumentException("'" + text + "' is not a DN", e);
    }
  }

  /** Returns the names of the values that it needs. */
  Set<String> names() {
    return Placeholders.in(text);
  }

  /** True for the form "u:" with a user name, which the directory maps to a DN. */
  boolean isUser() {
    return text.startsWith(USER_FORM);
  }

  /**
   * Returns the identity for these values. Null if a value could be read in more than one way, or
   * if the identity is too long.
   */
  @Nullable Octets fill(Map<String, String> values) {
    if (isUser() && !names().stream().map(values::get).allMatch(AuthzIdTemplate::isPlain)) {
      return null;
    }
    Octets filled =
        Octets.ofUtf8(
            rdns == null ? Placeholders.fill(text, values) : DN_FORM + new DN(with(rdns, values)));
    return filled.length() <= MAX_OCTETS ? filled : null;
  }

  private static boolean isPlain(@Nullable String value) {
    return value != null && value.chars().noneMatch(c -> SPECIAL.indexOf(c) >= 0);
  }

  private static RDN[] with(RDN[] rdns, Map<String, String> values) {
    return Arrays.stream(rdns).map(rdn -> with(rdn, values)).toArray(RDN[]::new);
  }

  private static RDN with(RDN rdn, Map<String, String> values) {
    String[] filled =
        Arrays.stream(rdn.getAttributeValues())
            .map(value -> Placeholders.fill(value, values))
            .toArray(String[]::new);
    return new RDN(rdn.getAttributeNames(), filled);
  }

  @Override
  public String toString() {
    return text;
  }
}

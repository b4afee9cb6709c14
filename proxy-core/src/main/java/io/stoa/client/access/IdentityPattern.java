// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.access;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import org.jspecify.annotations.Nullable;

/**
 * A pattern of identities: {@code anonymous}, a DN, {@code *,DN} (directly below), {@code **,DN}
 * (below), or a name that is not a DN, which is compared without regard to letter case.
 *
 * <p>Threading: immutable.
 *
 * @param text the pattern
 * @param scope the DNs that match; null if the pattern is not of DNs
 */
record IdentityPattern(String text, @Nullable DnScope scope) {
  private static final String ANONYMOUS = "anonymous";

  static IdentityPattern of(String text, ServerProfile profile) {
    return new IdentityPattern(text, text.indexOf('=') < 0 ? null : DnScope.pattern(text, profile));
  }

  /**
   * Checks the syntax of a pattern.
   *
   * @throws IllegalArgumentException if the text is no pattern
   */
  static void check(String text) {
    String base = text.replaceFirst("^\\*\\*?,", "");
    NormalDn dn = NormalDn.of(base.getBytes(UTF_8), ServerProfile.EXACT);
    boolean name = !text.isBlank() && text.equals(base) && text.indexOf('=') < 0;
    if (!name && (!dn.isDn() || dn.isRoot() || base.indexOf('*') >= 0)) {
      throw new IllegalArgumentException(
          "identities: '"
              + text
              + "' must be anonymous, a DN, '*,DN', '**,DN', or a bind name without '='");
    }
  }

  /** Returns whether a client matches. */
  RuleMatch matches(ClientName client) {
    if (client.isAnonymous()) {
      return RuleMatch.of(text.equals(ANONYMOUS))
          .or(client.isCertain() ? RuleMatch.NO : RuleMatch.MAYBE);
    }
    DnTarget name = client.name();
    if (scope != null) {
      return name == null ? RuleMatch.MAYBE : scope.contains(name);
    }
    if (text.equals(ANONYMOUS)) {
      return RuleMatch.NO;
    }
    return name == null ? RuleMatch.MAYBE : RuleMatch.of(name.text().equalsIgnoreCase(text));
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.access;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.schema.ServerProfile;
import org.junit.jupiter.api.Test;

/**
 * Without a schema, a DN is surely in a scope if it is spelled below it, in any case of letters.
 */
class DnScopeTest {
  private static RuleMatch match(String pattern, String dn) {
    DnTarget target = DnTarget.of(dn.getBytes(UTF_8), DnTarget.ENTRY, ServerProfile.EXACT);
    return DnScope.pattern(pattern, ServerProfile.EXACT).contains(target);
  }

  @Test
  void theCaseOfAsciiLettersDoesNotMatter() {
    assertThat(match("**,ou=People,dc=example", "uid=a,OU=PEOPLE,DC=Example"))
        .isEqualTo(RuleMatch.YES);
    assertThat(match("ou=People,dc=example", "ou=people,dc=EXAMPLE")).isEqualTo(RuleMatch.YES);
    assertThat(match("*,dc=example", "ou=a,dc=example")).isEqualTo(RuleMatch.YES);
  }

  @Test
  void otherLettersAreNotFolded() {
    assertThat(match("ou=\u00c4,dc=example", "ou=\u00e4,dc=example")).isNotEqualTo(RuleMatch.YES);
  }

  @Test
  void aCommaWithinAValueSeparatesNothing() {
    assertThat(match("**,dc=example", "cn=a\\,dc=example")).isNotEqualTo(RuleMatch.YES);
    assertThat(match("**,dc=example", "uid=a,ou=b,dc=example")).isEqualTo(RuleMatch.YES);
    assertThat(match("**,dc=example", "dc=example")).isEqualTo(RuleMatch.NO);
  }
}

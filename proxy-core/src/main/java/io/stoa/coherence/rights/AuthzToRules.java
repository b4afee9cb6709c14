// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.rights;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.ldap.protocol.SearchEntry;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Judges the authzTo values of an account, which list the identities for which it may act
 * (slapd.conf(5), authz-policy). Names and patterns of names depend on nothing else. Members of
 * groups and results of URLs may change without a change of the entry.
 *
 * <p>Threading: stateless.
 */
final class AuthzToRules {
  private static final String ATTRIBUTE = "authzto";
  private static final Pattern NAMES = Pattern.compile("(\\{\\d+})?dn(\\.[a-z]+)?:.*");

  private AuthzToRules() {}

  /** True if the entry shows its authzTo values, and these depend on nothing else. */
  static boolean areStatic(SearchEntry account) {
    List<String> rules =
        account.attributes().stream()
            .filter(one -> new String(one.type(), UTF_8).toLowerCase(Locale.ROOT).equals(ATTRIBUTE))
            .flatMap(one -> one.values().stream())
            .map(value -> new String(value, UTF_8).toLowerCase(Locale.ROOT))
            .toList();
    return !rules.isEmpty() && rules.stream().allMatch(rule -> NAMES.matcher(rule).matches());
  }
}

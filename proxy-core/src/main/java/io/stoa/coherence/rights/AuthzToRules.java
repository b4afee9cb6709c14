// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.rights;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.ldap.protocol.SearchEntry;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * For whom an account may act, as its entry says in authzTo (slapd.conf(5), authz-policy). Names
 * and patterns of names depend on nothing else; members of groups, and what URLs find, may be
 * others without a change of the entry. Immutable (no state).
 */
final class AuthzToRules {
  private static final String ATTRIBUTE = "authzto";
  private static final Pattern NAMES = Pattern.compile("(\\{\\d+})?dn(\\.[a-z]+)?:.*");

  private AuthzToRules() {}

  /** Whether the entry shows it, and nothing else decides. */
  static boolean isKnown(SearchEntry account) {
    List<String> rules =
        account.attributes().stream()
            .filter(one -> new String(one.type(), UTF_8).toLowerCase(Locale.ROOT).equals(ATTRIBUTE))
            .flatMap(one -> one.values().stream())
            .map(value -> new String(value, UTF_8).toLowerCase(Locale.ROOT))
            .toList();
    return !rules.isEmpty() && rules.stream().allMatch(rule -> NAMES.matcher(rule).matches());
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.external;

import io.stoa.ldap.protocol.Octets;
import io.stoa.net.peer.Peer;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Maps a client that binds by SASL EXTERNAL to an authorization identity, by the properties that
 * its connection to Stoa proves. The first matching rule decides.
 *
 * <p>Threading: immutable.
 */
public final class ExternalRules {
  private final List<ExternalRule> rules;
  private final Predicate<Octets> forbidden;

  /**
   * Creates the rules.
   *
   * @param forbidden authorization identities that no client may have
   */
  public ExternalRules(List<ExternalRule> rules, Predicate<Octets> forbidden) {
    this.rules = List.copyOf(rules);
    this.forbidden = forbidden;
  }

  /** True if there are rules, and the client has a certificate or is a user of a local socket. */
  public boolean mayMatch(Peer peer) {
    return !rules.isEmpty() && (peer.subject() != null || peer.user() != null);
  }

  /** True if any rule matches the client. */
  public boolean matches(Peer peer) {
    return rules.stream().anyMatch(rule -> rule.match(peer) != null);
  }

  /** Returns the authorization identity of the client; null if it has none. */
  public @Nullable Octets authzId(Peer peer) {
    for (ExternalRule rule : rules) {
      Map<String, String> values = rule.match(peer);
      if (values != null) {
        Octets authzId = rule.authzId(values);
        return authzId == null || forbidden.test(authzId) ? null : authzId;
      }
    }
    return null;
  }
}

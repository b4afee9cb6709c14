// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.external;

import io.stoa.ldap.protocol.Octets;
import io.stoa.net.peer.Peer;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * As whom a client acts that binds by SASL EXTERNAL, by what its own connection to Stoa proves of
 * it. The first rule that is about a client decides. Immutable.
 */
public final class ExternalRules {
  private final List<ExternalRule> rules;
  private final Predicate<Octets> forbidden;

  /**
   * Makes it.
   *
   * @param forbidden authorization identities that no client gets
   */
  public ExternalRules(List<ExternalRule> rules, Predicate<Octets> forbidden) {
    this.rules = List.copyOf(rules);
    this.forbidden = forbidden;
  }

  /** Whether there are rules, and the client's connection proves something of it. */
  public boolean mayConcern(Peer peer) {
    return !rules.isEmpty() && (peer.subject() != null || peer.user() != null);
  }

  /** Whether any rule is about the client. */
  public boolean concern(Peer peer) {
    return rules.stream().anyMatch(rule -> rule.match(peer) != null);
  }

  /** As whom the client may act, as an authorization identity; null if as nobody. */
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

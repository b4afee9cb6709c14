// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.access;

import io.stoa.client.access.ClientAccessRule.ClientCondition;
import io.stoa.client.access.ClientAccessRule.RequestCondition;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.ClientSession;
import java.net.InetAddress;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An access rule prepared for the schema of a directory. Cheap conditions are tested first.
 *
 * <p>Threading: immutable.
 *
 * @param rule the rule
 * @param kinds kinds of operations to which it applies
 * @param identities patterns of the clients' identities
 * @param bases subtrees
 */
record RuleMatcher(
    ClientAccessRule rule,
    Set<AccessOperation> kinds,
    List<IdentityPattern> identities,
    List<DnScope> bases) {

  static RuleMatcher of(ClientAccessRule rule, ServerProfile profile) {
    return new RuleMatcher(
        rule,
        rule.request().kinds(),
        rule.client().identities().stream().map(text -> IdentityPattern.of(text, profile)).toList(),
        rule.request().bases().stream().map(dn -> DnScope.subtree(dn, profile)).toList());
  }

  String name() {
    return rule.name();
  }

  boolean allows() {
    return rule.allow();
  }

  /** True if the rule decides about the operation. */
  boolean appliesTo(AccessRequest request) {
    if (!kinds.contains(request.kind())
        || !isFrom(request.operation().session())
        || !isMethod(request)) {
      return false;
    }
    RuleMatch match = identities.isEmpty() ? RuleMatch.YES : request.isBy(identities);
    if (match != RuleMatch.NO && !bases.isEmpty()) {
      match = match.and(request.isIn(bases));
    }
    return rule.allow() ? match == RuleMatch.YES : match != RuleMatch.NO;
  }

  private boolean isFrom(ClientSession session) {
    ClientCondition client = rule.client();
    Boolean tls = client.tls();
    return (client.networks().isEmpty() || isInNetwork(session.address()))
        && (client.listeners().isEmpty() || client.listeners().contains(session.peer().listener()))
        && (tls == null || tls != session.isUnprotected());
  }

  private boolean isInNetwork(@Nullable InetAddress address) {
    return address != null
        && rule.client().networks().stream().anyMatch(network -> network.contains(address));
  }

  private boolean isMethod(AccessRequest request) {
    RequestCondition condition = rule.request();
    return switch (request.kind()) {
      case BIND -> condition.bindMethods().isEmpty() || request.usesMethod(condition.bindMethods());
      case EXTENDED ->
          condition.extended().isEmpty() || condition.extended().contains(request.oid());
      default -> true;
    };
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.access;

import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.net.transport.LogLimit;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.operation.event.BindKind;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Judges operations by the access rules.
 *
 * <ol>
 *   <li>The first rule that applies decides. An operation without a rule is allowed.
 *   <li>Where Stoa cannot tell whether a rule applies, a rule that denies applies, and a rule that
 *       allows does not.
 *   <li>A read-only proxy refuses writes first, and each extended operation that may write.
 * </ol>
 *
 * <p>Threading: thread-safe; operations are judged on their event loops.
 */
public final class AccessControl {
  private static final LogLimit LOG = new LogLimit(LoggerFactory.getLogger(AccessControl.class));

  private final Supplier<AccessRules> current;
  private final Supplier<ServerProfile> profile;
  private volatile Compiled compiled =
      new Compiled(AccessRules.NONE, ServerProfile.EXACT, List.of());

  /**
   * Creates an instance.
   *
   * @param current supplies the rules, which may change between calls
   * @param profile supplies the rules by which names are equal
   */
  public AccessControl(Supplier<AccessRules> current, Supplier<ServerProfile> profile) {
    this.current = current;
    this.profile = profile;
  }

  /**
   * The rules prepared for the schema of a directory.
   *
   * <p>Threading: immutable.
   */
  private record Compiled(AccessRules rules, ServerProfile profile, List<RuleMatcher> matchers) {}

  /**
   * True if some operation may be refused. Then no connection may become unreadable by a SASL
   * security layer.
   */
  public boolean isActive() {
    return current.get().isActive();
  }

  /** Returns why an operation is refused; null if it is allowed. */
  public @Nullable Rejection refusal(Operation operation) {
    AccessRules rules = current.get();
    AccessOperation kind = rules.isActive() ? AccessOperation.of(operation.type()) : null;
    if (kind == null) {
      return null;
    }
    AccessRequest request = new AccessRequest(operation, kind, profile.get());
    if (AccessRequest.EXEMPT.contains(request.oid())) {
      return null;
    }
    if (rules.readOnly() && mayWrite(request)) {
      return Rejection.READ_ONLY;
    }
    RuleMatcher rule = deciding(rules, request);
    if (rule == null || rule.allows()) {
      return null;
    }
    LOG.info(
        "client {}: {} denied by access rule '{}'",
        operation.session().peer().origin(),
        operation.type(),
        rule.name());
    return refusal(request);
  }

  /** True for updates and extended operations, except those that are exempt from all rules. */
  private static boolean mayWrite(AccessRequest request) {
    OpType type = request.operation().type();
    return type.isUpdate() || type == OpType.EXTENDED_REQUEST;
  }

  private @Nullable RuleMatcher deciding(AccessRules rules, AccessRequest request) {
    for (RuleMatcher matcher : matchers(rules)) {
      if (matcher.appliesTo(request)) {
        return matcher;
      }
    }
    return null;
  }

  private List<RuleMatcher> matchers(AccessRules rules) {
    ServerProfile now = profile.get();
    Compiled present = compiled;
    if (!present.rules.equals(rules) || !present.profile.equals(now)) {
      List<RuleMatcher> matchers =
          rules.rules().stream().map(rule -> RuleMatcher.of(rule, now)).toList();
      present = new Compiled(rules, now, matchers);
      compiled = present;
    }
    return present.matchers;
  }

  /**
   * Returns the answer to a denied operation. Binds have the codes of slapd: see RFC 4513, section
   * 5.1.2, for a name without a password.
   */
  private static Rejection refusal(AccessRequest request) {
    if (!(request.operation().request().op() instanceof BindOp bind)) {
      return Rejection.ACCESS_DENIED;
    }
    BindKind kind = AccessRequest.bindKind(bind);
    if (kind == BindKind.UNAUTHENTICATED) {
      return Rejection.UNAUTHENTICATED_BIND_DENIED;
    }
    return kind == BindKind.SASL ? Rejection.SASL_BIND_DENIED : Rejection.BIND_DENIED;
  }
}

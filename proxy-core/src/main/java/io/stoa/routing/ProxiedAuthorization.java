// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.ldap.protocol.RequestOp.CompareOp;
import io.stoa.ldap.protocol.RequestOp.ExtendedOp;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.operation.Restriction;
import io.stoa.upstream.auth.NeverProxied;
import java.util.Set;

/**
 * Decides which requests use a connection of the service account, in proxied-authorization mode.
 *
 * <p>The others use a connection bound as the client. A request uses the service account only if
 * the server is known to perform it as the identity in the control (RFC 4370). Otherwise it would
 * run with the rights of Stoa.
 *
 * <p>Threading: immutable.
 */
final class ProxiedAuthorization {
  private static final Set<String> PROXY_CONTROLS =
      Set.of(Oids.PROXIED_AUTHZ_V1, Oids.PROXIED_AUTHZ_V2);

  private final NeverProxied neverProxied;

  /**
   * Creates the rules.
   *
   * @param neverProxied identities for which the service account never acts
   */
  ProxiedAuthorization(NeverProxied neverProxied) {
    this.neverProxied = neverProxied;
  }

  /** Kind of connection that a request uses. */
  enum ConnectionKind {
    /** A connection that acts as the client's identity, as in pass-through mode. */
    OWN,
    /** A connection of the service account. */
    SERVICE,
    /** None: the client would need a connection of its own, and cannot have one. */
    NONE
  }

  /** True if all requests of a client with this bind use connections bound as the client. */
  boolean neverActsFor(BindOp bind) {
    return neverProxied.contains(ClientIdentity.simple(bind.name(), null));
  }

  /**
   * Returns the kind of connection for a request.
   *
   * @param ownIsBetter true if a connection bound as the client is preferred, where one is possible
   */
  ConnectionKind of(Operation operation, Request request, boolean ownIsBetter) {
    ClientSession session = operation.session();
    ClientIdentity identity = session.identity();
    if (neverProxied.contains(identity)) {
      return ConnectionKind.OWN;
    }
    boolean bindsAgain = !identity.isAnonymous() && identity.canRebind();
    boolean exclusive = session.restriction() == Restriction.EXCLUSIVE;
    boolean usesOwn = ownIsBetter && bindsAgain;
    if (!exclusive && !usesOwn && isHonoured(request)) {
      return ConnectionKind.SERVICE;
    }
    return bindsAgain || exclusive ? ConnectionKind.OWN : ConnectionKind.NONE;
  }

  /**
   * True if a server that supports the control honours it for this request. The root DSE lies below
   * no suffix at which 389-ds could grant the proxy right, so a compare of it is excluded.
   */
  static boolean isHonoured(Request request) {
    return !request.irregular()
        && !(request.op() instanceof ExtendedOp)
        && !(request.op() instanceof CompareOp compare && compare.entry().length == 0)
        && request.controls().stream().allMatch(ProxiedAuthorization::isHonoured);
  }

  /**
   * True for a control with a known effect. An unknown one may grant rights, or change the meaning
   * of others.
   */
  private static boolean isHonoured(Control control) {
    return Restrictions.isKnown(control.oid()) && !PROXY_CONTROLS.contains(control.oid());
  }

  /** Returns the reason for refusing a request without a possible connection. */
  static Rejection refusal(Request request) {
    boolean proxies =
        request.controls().stream().anyMatch(control -> PROXY_CONTROLS.contains(control.oid()));
    return proxies ? Rejection.AUTHORIZATION_DENIED : Rejection.NEEDS_CLIENT_BIND;
  }
}

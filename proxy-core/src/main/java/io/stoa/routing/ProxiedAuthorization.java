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
import io.stoa.upstream.auth.DedicatedConnections;
import java.util.Set;

/**
 * In proxied-authorization mode, which requests go over a connection of the service account, and
 * which over one that is bound as their very client. Only what is known to be done in the name that
 * the control gives may go over the former: whatever else happens there is done as Stoa. Immutable.
 */
final class ProxiedAuthorization {
  private static final Set<String> OF_CLIENTS =
      Set.of(Oids.PROXIED_AUTHZ_V1, Oids.PROXIED_AUTHZ_V2);

  private final DedicatedConnections owners;

  /**
   * Makes it.
   *
   * @param owners for whom the service account never acts
   */
  ProxiedAuthorization(DedicatedConnections owners) {
    this.owners = owners;
  }

  /** Over which kind of connection a request goes. */
  enum Way {
    /** One that acts as the client's identity, as in pass-through mode. */
    OWN,
    /** One of the service account. */
    SERVICE,
    /** None: the client would need one of its own, and cannot have one. */
    NONE
  }

  /** Whether all requests of whoever binds so go over connections that are bound as it. */
  boolean neverActsFor(BindOp bind) {
    return owners.contains(ClientIdentity.simple(bind.name(), null));
  }

  /**
   * The way of a request.
   *
   * @param ownIsBetter whether a connection bound as the client serves it better, if there can be
   *     one
   */
  Way of(Operation operation, Request request, boolean ownIsBetter) {
    ClientSession session = operation.session();
    ClientIdentity identity = session.identity();
    if (owners.contains(identity)) {
      return Way.OWN;
    }
    boolean bindsAgain = !identity.anonymous() && identity.bindsAgain();
    boolean exclusive = session.restriction() == Restriction.EXCLUSIVE;
    boolean own = ownIsBetter && bindsAgain;
    if (!exclusive && !own && honoured(request)) {
      return Way.SERVICE;
    }
    return bindsAgain || exclusive ? Way.OWN : Way.NONE;
  }

  /**
   * Whether a server that honours the control does so in this request. A compare of the root DSE is
   * below no suffix for which 389-ds could give the right to act for others.
   */
  static boolean honoured(Request request) {
    return !request.irregular()
        && !(request.op() instanceof ExtendedOp)
        && !(request.op() instanceof CompareOp compare && compare.entry().length == 0)
        && request.controls().stream().allMatch(ProxiedAuthorization::honoured);
  }

  /** A control that nobody knows may give rights, or take away the meaning of others. */
  private static boolean honoured(Control control) {
    return Restrictions.known(control.oid()) && !OF_CLIENTS.contains(control.oid());
  }

  /** Why a request that finds no way is refused. */
  static Rejection refusal(Request request) {
    boolean proxies =
        request.controls().stream().anyMatch(control -> OF_CLIENTS.contains(control.oid()));
    return proxies ? Rejection.AUTHORIZATION_DENIED : Rejection.NO_OWN_CONNECTION;
  }
}

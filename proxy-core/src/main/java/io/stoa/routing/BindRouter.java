// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.RequestOp.BindAuthentication;
import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.operation.Restriction;
import io.stoa.routing.retry.Replay;
import io.stoa.upstream.balancing.ServerGroup;
import io.stoa.upstream.pool.UpstreamPools;
import io.stoa.upstream.server.Backend;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Where clients bind. Event-loop confined. */
record BindRouter(
    ServerGroup branch,
    UpstreamPools pools,
    BindChoice choice,
    Replay replay,
    @Nullable ProxiedAuthorization proxying,
    ReplicaCatchUpQueue arrivals) {
  /**
   * Sends a bind.
   *
   * @param avoid where it was not answered; null if it was not sent yet
   */
  void bind(Operation operation, @Nullable Backend avoid) throws LdapProtocolException {
    BindOp bind = (BindOp) operation.request().op();
    Predicate<Backend> trusted = TransportTrust.in(operation);
    Predicate<Backend> eligible = Replay.open(operation, trusted);
    if (bind.authentication() == BindAuthentication.SASL) {
      saslBind(operation, avoid, eligible);
      return;
    }
    Backend backend =
        bindsOnce(bind)
            ? primaryOrOther(operation, avoid, eligible)
            : choice.of(operation, avoid, eligible);
    if (backend != null) {
      if (!arrivals.keepBind(operation, backend, eligible)) {
        bind(operation, bind, backend, trusted);
      }
    } else if (bind.name().length == 0 && bind.credentialsLength() == 0) {
      // Anonymous is what the client is anyway; so it can read cn=monitor when it matters most.
      operation.sink().complete(LdapResult.encode(OpType.BIND_RESPONSE, 0, ""));
    } else {
      operation.sink().reject(nobody(trusted));
    }
  }

  /** Whether there is a server that may be asked and has not refused. */
  boolean other(Operation operation) throws LdapProtocolException {
    BindOp bind = (BindOp) operation.request().op();
    Predicate<Backend> eligible = Replay.open(operation, TransportTrust.in(operation));
    return bind.authentication() == BindAuthentication.SIMPLE
        && !bindsOnce(bind)
        && branch.backends().stream().anyMatch(one -> one.usable() && eligible.test(one));
  }

  /** Whether nothing will be kept to bind the client on another server, where it may write. */
  private boolean bindsOnce(BindOp bind) {
    boolean once = !pools.bindsAgain() || pools.isOneTime(bind.name());
    return once && (proxying == null || proxying.neverActsFor(bind));
  }

  /** Who may not be bound to the primary reads what a replica has: that is not for the caches. */
  private void bind(Operation operation, BindOp bind, Backend backend, Predicate<Backend> trusted)
      throws LdapProtocolException {
    boolean own = proxying == null || proxying.neverActsFor(bind);
    if (own && !trusted.test(branch.primary())) {
      operation.session().restrict(Restriction.EXCLUSIVE);
    }
    replay.asks(operation, backend, null);
    pools.bind(operation, backend);
  }

  /**
   * The connection is for all that the client will do, so it is one to the primary. On another,
   * which may be behind, what the client reads must not get into the caches.
   */
  private void saslBind(Operation operation, @Nullable Backend avoid, Predicate<Backend> eligible)
      throws LdapProtocolException {
    if (pools.saslBoundTo(operation.session()) != null) {
      pools.sendSasl(operation);
      return;
    }
    Backend backend = primaryOrOther(operation, avoid, eligible);
    if (backend == null) {
      operation.sink().reject(nobody(eligible));
      return;
    }
    if (!backend.primary()) {
      operation.session().restrict(Restriction.EXCLUSIVE);
    }
    pools.openSasl(operation, backend);
  }

  private @Nullable Backend primaryOrOther(
      Operation operation, @Nullable Backend avoid, Predicate<Backend> eligible)
      throws LdapProtocolException {
    Backend primary = branch.primary();
    boolean usable = primary.usable() && eligible.test(primary) && primary != avoid;
    return usable ? primary : choice.of(operation, avoid, eligible);
  }

  /**
   * Why there is no server at all for a client.
   *
   * @param trusted which servers may be given what it brings, whatever they have refused
   */
  Rejection nobody(Predicate<Backend> trusted) {
    branch.missAll();
    return branch.backends().stream().anyMatch(trusted)
        ? Rejection.NO_UPSTREAM
        : Rejection.UPSTREAM_PLAIN;
  }
}

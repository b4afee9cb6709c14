// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

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

/**
 * Routes the binds of clients to servers.
 *
 * <p>Threading: event loop.
 */
record BindRouter(
    ServerGroup branch,
    UpstreamPools pools,
    BindChoice choice,
    Replay replay,
    @Nullable ProxiedAuthorization proxying,
    ReplicaCatchUpQueue catchUpQueue) {
  /**
   * Sends a bind.
   *
   * @param avoid server that did not answer; null at the first attempt
   */
  void bind(Operation operation, @Nullable Backend avoid) {
    BindOp bind = (BindOp) operation.request().op();
    Predicate<Backend> trusted = TransportTrust.forClient(operation);
    Predicate<Backend> eligible = Replay.withoutRefusers(operation, trusted);
    if (bind.authentication() == BindAuthentication.SASL) {
      saslBind(operation, avoid, eligible);
      return;
    }
    Backend backend =
        isUsedOnce(bind)
            ? primaryOrOther(operation, avoid, eligible)
            : choice.of(operation, avoid, eligible);
    if (backend != null) {
      if (!catchUpQueue.enqueueBind(operation, backend, eligible)) {
        bind(operation, bind, backend, trusted);
      }
    } else if (bind.name().length == 0 && bind.credentialsLength() == 0) {
      // The client is anonymous already, and can read cn=monitor when all servers are down.
      operation.sink().complete(LdapResult.encode(OpType.BIND_RESPONSE, 0, ""));
    } else {
      operation.sink().reject(noServerReason(trusted));
    }
  }

  /** True if a usable server is left that has not refused the bind. */
  boolean hasOther(Operation operation) {
    BindOp bind = (BindOp) operation.request().op();
    Predicate<Backend> eligible =
        Replay.withoutRefusers(operation, TransportTrust.forClient(operation));
    return bind.authentication() == BindAuthentication.SIMPLE
        && !isUsedOnce(bind)
        && branch.backends().stream().anyMatch(one -> one.isUsable() && eligible.test(one));
  }

  /**
   * True if the password is not kept, so that no connection to another server can be bound as the
   * client.
   */
  private boolean isUsedOnce(BindOp bind) {
    boolean once = !pools.bindsAgain() || pools.isOneTime(bind.name());
    return once && (proxying == null || proxying.neverActsFor(bind));
  }

  /**
   * Sends a simple bind. A client that may not bind at the primary reads from a replica, so its
   * answers must not be cached.
   */
  private void bind(Operation operation, BindOp bind, Backend backend, Predicate<Backend> trusted) {
    boolean bindsAsClient = proxying == null || proxying.neverActsFor(bind);
    if (bindsAsClient && !trusted.test(branch.primary())) {
      operation.session().restrict(Restriction.EXCLUSIVE);
    }
    replay.onSend(operation, backend, null);
    pools.bind(operation, backend);
  }

  /**
   * Sends a SASL bind. Its connection serves all later requests of the client, so it goes to the
   * primary. Otherwise it may go to a lagging replica, and answers read there must not be cached.
   */
  private void saslBind(Operation operation, @Nullable Backend avoid, Predicate<Backend> eligible) {
    if (pools.saslBoundTo(operation.session()) != null) {
      pools.sendSasl(operation);
      return;
    }
    Backend backend = primaryOrOther(operation, avoid, eligible);
    if (backend == null) {
      operation.sink().reject(noServerReason(eligible));
      return;
    }
    if (!backend.isPrimary()) {
      operation.session().restrict(Restriction.EXCLUSIVE);
    }
    pools.openSasl(operation, backend);
  }

  private @Nullable Backend primaryOrOther(
      Operation operation, @Nullable Backend avoid, Predicate<Backend> eligible) {
    Backend primary = branch.primary();
    boolean usable = primary.isUsable() && eligible.test(primary) && primary != avoid;
    return usable ? primary : choice.of(operation, avoid, eligible);
  }

  /**
   * Returns the reason why no server can serve a client.
   *
   * @param trusted true for servers that may receive the client's secrets, even if they have
   *     refused it
   */
  Rejection noServerReason(Predicate<Backend> trusted) {
    branch.requestReconnects();
    return branch.backends().stream().anyMatch(trusted)
        ? Rejection.NO_UPSTREAM
        : Rejection.UPSTREAM_PLAIN;
  }
}

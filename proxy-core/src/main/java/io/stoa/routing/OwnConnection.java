// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.routing.ProxiedAuthorization.Way;
import io.stoa.routing.ReadEligibility.Known;
import io.stoa.routing.retry.Replay;
import io.stoa.upstream.balancing.ServerGroup;
import io.stoa.upstream.pool.UpstreamPools;
import io.stoa.upstream.server.Backend;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Routes requests that need a dedicated connection of their client.
 *
 * <p>Threading: event loop.
 */
record OwnConnection(
    ServerGroup branch,
    UpstreamPools pools,
    ServerCookies cookies,
    ReadEligibility freshness,
    ServerChoice choice,
    ReplicaCatchUpQueue arrivals) {
  /**
   * Sends a request. A new connection goes to the primary, since it may be used for writes.
   *
   * @param trusted true for servers to which it may be sent that way, even if they have refused it
   */
  void send(Operation operation, Way way, Predicate<Backend> trusted) throws LdapProtocolException {
    ClientSession session = operation.session();
    if (cookies.lost(operation)) {
      operation.sink().reject(Rejection.COOKIE_LOST);
      return;
    }
    Backend sasl = pools.saslBoundTo(session);
    Backend present = pools.pinnedTo(session);
    if (sasl != null) {
      watch(operation);
      sendSasl(operation, sasl);
    } else if (present != null && pools.goesOn(session) && goesOn(operation, present)) {
      watch(operation);
      freshness.sending(operation, present);
      pools.sendPinned(operation);
    } else {
      open(operation, way, trusted);
    }
  }

  private void watch(Operation operation) throws LdapProtocolException {
    SessionStateTracker.watch(operation, operation.request(), cookies.of(operation));
  }

  private void open(Operation operation, Way way, Predicate<Backend> trusted)
      throws LdapProtocolException {
    boolean read = !operation.mayChange();
    Predicate<Backend> eligible = Replay.open(operation, trusted);
    Backend backend = primaryIfUp(read ? freshness.knowing(operation, eligible) : eligible);
    if (read && (backend == null || !backend.up())) {
      Known known = freshness.matters() ? freshness.known(operation, false) : null;
      Backend other = choice.of(operation, null, eligible, known);
      backend = other == null ? backend : other;
      if (arrivals.keep(operation, known, backend, eligible)) {
        return;
      }
    }
    watch(operation);
    if (backend == null) {
      operation.sink().reject(branch.primary().usable() ? Rejection.UPSTREAM_PLAIN : unreachable());
    } else {
      open(operation, way, backend);
    }
  }

  private void open(Operation operation, Way way, Backend backend) {
    freshness.sending(operation, backend);
    if (way == Way.SERVICE) {
      pools.pinAsService(operation, backend);
    } else {
      pools.pin(operation, backend);
    }
  }

  /**
   * True if the client's present connection suits the operation. A write needs a primary. A read
   * needs a server with all required writes, unless the connection holds state of the client.
   */
  private boolean goesOn(Operation operation, Backend present) throws LdapProtocolException {
    if (operation.mayChange()) {
      return present.primary();
    }
    boolean stays = pools.holdsState(operation.session());
    return stays ? read(operation, present) : freshness.knows(operation, present);
  }

  /**
   * Allows a read at the only possible server, and counts it if that server may lack required
   * writes.
   */
  private boolean read(Operation operation, Backend there) throws LdapProtocolException {
    if (!freshness.knows(operation, there)) {
      freshness.uncovered(there);
    }
    return true;
  }

  /**
   * Sends a request on the connection of a SASL bind. Only the client can bind at the primary as
   * itself. If it must, and the primary is up, the client is disconnected so that it binds again.
   */
  private void sendSasl(Operation operation, Backend own) throws LdapProtocolException {
    Backend primary = branch.primary();
    freshness.sending(operation, own);
    if (!own.usable() && own.health().gone()) {
      operation.sink().reject(unreachable());
    } else if (operation.mayChange() ? own.primary() : read(operation, own)) {
      pools.sendSasl(operation);
    } else if (primary.exposed() && operation.session().tls()) {
      operation.sink().reject(Rejection.UPSTREAM_PLAIN);
    } else if (primary.usable()) {
      operation.session().disconnect(Rejection.STATE_LOST);
    } else {
      operation.sink().reject(unreachable());
    }
  }

  private @Nullable Backend primaryIfUp(Predicate<Backend> eligible) {
    Backend chosen = branch.primary();
    Backend primary = chosen.usable() ? chosen : branch.primary(); // may be drained now
    return primary.usable() && eligible.test(primary) ? primary : null;
  }

  /** Returns the reason why a request that needs a primary cannot be sent. */
  Rejection unreachable() {
    branch.missAll();
    return branch.backends().stream().anyMatch(Backend::usable)
        ? Rejection.PRIMARY_DOWN
        : Rejection.NO_UPSTREAM;
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.stoa.operation.ClientSession;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.routing.ProxiedAuthorization.ConnectionKind;
import io.stoa.routing.ReadEligibility.ServerJudge;
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
record DedicatedRouter(
    ServerGroup branch,
    UpstreamPools pools,
    ServerCookies cookies,
    ReadEligibility eligibility,
    ServerChoice choice,
    ReplicaCatchUpQueue catchUpQueue) {
  /**
   * Sends a request. A new connection goes to the primary, since it may be used for writes.
   *
   * @param trusted true for servers to which it may be sent that way, even if they have refused it
   */
  void send(Operation operation, ConnectionKind kind, Predicate<Backend> trusted) {
    ClientSession session = operation.session();
    if (cookies.isLost(operation)) {
      operation.sink().reject(Rejection.COOKIE_LOST);
      return;
    }
    Backend sasl = pools.saslBoundTo(session);
    Backend present = pools.pinnedTo(session);
    if (sasl != null) {
      watch(operation);
      sendSasl(operation, sasl);
    } else if (present != null
        && pools.keepsDedicatedConnection(session)
        && isSuitable(operation, present)) {
      watch(operation);
      eligibility.onSending(operation, present);
      pools.sendPinned(operation);
    } else {
      open(operation, kind, trusted);
    }
  }

  private void watch(Operation operation) {
    SessionStateTracker.watch(operation, operation.request(), cookies.of(operation));
  }

  private void open(Operation operation, ConnectionKind kind, Predicate<Backend> trusted) {
    boolean read = !operation.mayChange();
    Predicate<Backend> eligible = Replay.withoutRefusers(operation, trusted);
    Backend backend = primaryIfUp(read ? eligibility.eligible(operation, eligible) : eligible);
    if (read && (backend == null || !backend.isUp())) {
      ServerJudge judge = eligibility.hasChoice() ? eligibility.judgeFor(operation, false) : null;
      Backend other = choice.of(operation, null, eligible, judge);
      backend = other == null ? backend : other;
      if (catchUpQueue.enqueue(operation, judge, backend, eligible)) {
        return;
      }
    }
    watch(operation);
    if (backend == null) {
      operation
          .sink()
          .reject(branch.primary().isUsable() ? Rejection.UPSTREAM_PLAIN : unreachableReason());
    } else {
      open(operation, kind, backend);
    }
  }

  private void open(Operation operation, ConnectionKind kind, Backend backend) {
    eligibility.onSending(operation, backend);
    if (kind == ConnectionKind.SERVICE) {
      pools.pinAsService(operation, backend);
    } else {
      pools.pin(operation, backend);
    }
  }

  /**
   * True if the client's present connection suits the operation. A write needs a primary. A read
   * needs a server with all required writes, unless the connection holds state of the client.
   */
  private boolean isSuitable(Operation operation, Backend present) {
    if (operation.mayChange()) {
      return present.isPrimary();
    }
    boolean stays = pools.holdsState(operation.session());
    return stays ? allowRead(operation, present) : eligibility.isEligible(operation, present);
  }

  /**
   * Allows a read at the only possible server, and counts it if that server may lack required
   * writes.
   */
  private boolean allowRead(Operation operation, Backend server) {
    if (!eligibility.isEligible(operation, server)) {
      eligibility.countUncovered(server);
    }
    return true;
  }

  /**
   * Sends a request on the connection of a SASL bind. Only the client can bind at the primary as
   * itself. If it must, and the primary is up, the client is disconnected so that it binds again.
   */
  private void sendSasl(Operation operation, Backend server) {
    Backend primary = branch.primary();
    eligibility.onSending(operation, server);
    if (!server.isUsable() && server.health().isDown()) {
      operation.sink().reject(unreachableReason());
    } else if (operation.mayChange() ? server.isPrimary() : allowRead(operation, server)) {
      pools.sendSasl(operation);
    } else if (primary.isExposed() && operation.session().isTls()) {
      operation.sink().reject(Rejection.UPSTREAM_PLAIN);
    } else if (primary.isUsable()) {
      operation.session().disconnect(Rejection.STATE_LOST);
    } else {
      operation.sink().reject(unreachableReason());
    }
  }

  private @Nullable Backend primaryIfUp(Predicate<Backend> eligible) {
    Backend chosen = branch.primary();
    Backend primary = chosen.isUsable() ? chosen : branch.primary(); // may be drained now
    return primary.isUsable() && eligible.test(primary) ? primary : null;
  }

  /** Returns the reason why a request that needs a primary cannot be sent. */
  Rejection unreachableReason() {
    branch.requestReconnects();
    return branch.backends().stream().anyMatch(Backend::isUsable)
        ? Rejection.PRIMARY_DOWN
        : Rejection.NO_UPSTREAM;
  }
}

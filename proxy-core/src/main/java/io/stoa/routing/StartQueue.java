// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.RequestOp.BindAuthentication;
import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.net.transport.GuardedTask;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Operation;
import io.stoa.upstream.admission.FairQueue;
import io.stoa.upstream.balancing.ServerGroup;
import io.stoa.upstream.server.Backend;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Requests that arrive before the first health checks of the servers have ended. A request waits
 * until a server that suits it is up, until all servers are judged, or until {@code queueTimeout}
 * has passed since the start. After that the queue is never used again.
 *
 * <p>Invariants.
 *
 * <ol>
 *   <li>Requests of one client leave in the order in which they came.
 *   <li>Waiting requests count against the bound of all queues.
 * </ol>
 *
 * <p>Threading: event loop.
 */
final class StartQueue {
  /** Milliseconds between two checks of the servers: 10. A first health check takes longer. */
  private static final long PAUSE_MILLIS = 10;

  private final ServerGroup group;
  private final RouteConfig config;
  private final Consumer<Operation> resume;
  private final FairQueue waiting;
  private final long startNanos = System.nanoTime();
  private boolean over;
  private boolean checkScheduled;

  /**
   * Creates the queue of one event loop.
   *
   * @param resume sends a request that has waited
   */
  StartQueue(ServerGroup group, RouteConfig config, Consumer<Operation> resume) {
    this.group = group;
    this.config = config;
    this.resume = resume;
    this.waiting = new FairQueue(config.bound());
  }

  /**
   * Queues a request if it must wait, to be sent later or refused when its time is over.
   *
   * @return true if it waits
   */
  boolean enqueue(Operation operation) {
    if (over) {
      return false;
    }
    over = waiting.isEmpty() && isOver();
    return !over && mustWait(operation) && add(operation);
  }

  private boolean isOver() {
    long waited = System.nanoTime() - startNanos;
    return waited > config.queueTimeout().get().toNanos()
        || group.backends().stream().allMatch(StartQueue::isJudged);
  }

  /** True if a server is judged. A domain never is: DNS has not named its servers yet. */
  private static boolean isJudged(Backend backend) {
    return backend.health().isChecked() && !backend.address().isDomain();
  }

  private boolean mustWait(Operation operation) {
    boolean follows = waiting.sessions().anyMatch(operation.session()::equals);
    return follows || !(isAnonymousBind(operation) || isServed(operation));
  }

  /** True if a usable server may receive the request and its secrets. */
  private boolean isServed(Operation operation) {
    boolean primary = operation.mayChange() || isSaslBind(operation);
    Predicate<Backend> trusted = TransportTrust.forClient(operation);
    return group.backends().stream()
        .anyMatch(one -> one.isUsable() && trusted.test(one) && (one.isPrimary() || !primary));
  }

  private static boolean isSaslBind(Operation operation) {
    return operation.type() == OpType.BIND_REQUEST
        && ((BindOp) operation.request().op()).authentication() == BindAuthentication.SASL;
  }

  /** True for an anonymous bind, which Stoa answers itself while no server is up. */
  private static boolean isAnonymousBind(Operation operation) {
    return operation.type() == OpType.BIND_REQUEST
        && operation.request().op() instanceof BindOp bind
        && bind.authentication() == BindAuthentication.SIMPLE
        && bind.name().length == 0
        && bind.credentialsLength() == 0;
  }

  private boolean add(Operation operation) {
    boolean waits = waiting.add(operation, System.nanoTime());
    if (waits && !checkScheduled) {
      scheduleCheck(operation.session().executor());
    }
    return waits;
  }

  private void scheduleCheck(EventExecutor loop) {
    checkScheduled = true;
    loop.schedule(
        new GuardedTask("queue of operations at the start", () -> check(loop)),
        PAUSE_MILLIS,
        TimeUnit.MILLISECONDS);
  }

  private void check(EventExecutor loop) {
    checkScheduled = false;
    boolean ended = isOver();
    Set<ClientSession> blocked = new HashSet<>();
    List<Operation> ready = waiting.take(operation -> ended || isReady(operation, blocked));
    ready.forEach(
        operation -> new GuardedTask("send a queued operation", () -> send(operation)).run());
    waiting.expire(
        System.nanoTime(),
        config.queueTimeout().get().toNanos(),
        config.replay().get().operationTimeout().toNanos());
    if (!checkScheduled && !waiting.isEmpty()) {
      scheduleCheck(loop);
    }
  }

  private void send(Operation operation) {
    if (!operation.hasEnded()) { // a sent request may end others of its client
      resume.accept(operation);
    }
  }

  /**
   * True if the request can be sent.
   *
   * @param blocked clients with an earlier request that still waits
   */
  private boolean isReady(Operation operation, Set<ClientSession> blocked) {
    boolean ready = !blocked.contains(operation.session()) && isServed(operation);
    if (!ready) {
      blocked.add(operation.session());
    }
    return ready;
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.position;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.net.transport.GuardedTask;
import io.stoa.replication.Replication;
import io.stoa.replication.ReplicationConfig;
import io.stoa.replication.SessionGuarantees;
import io.stoa.upstream.balancing.ServerGroup;
import io.stoa.upstream.health.HealthProbe;
import io.stoa.upstream.health.Probes;
import io.stoa.upstream.server.Backend;
import io.stoa.upstream.server.BackendState;
import io.stoa.upstream.server.ReplicaStatus;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Polls the positions of servers, if there are several: often while there are writes, otherwise
 * seldom. A server that has answered a write, or has come up, is polled at once.
 *
 * <p>Threading: event loop, except for the listener of server states.
 */
public final class ReplicaPositionMonitor {
  /** Time after the last change during which servers are polled at each turn: 10 s. */
  private static final Duration LIVELY = Duration.ofSeconds(10);

  /** Number of turns between polls at other times: 4. */
  private static final int IDLE_TURNS = 4;

  private final SessionGuarantees guarantees;
  private final ReplicationConfig config;
  private final ServerGroup group;
  private final Probes probes;
  private final Map<Backend, PositionPoll> polls = new HashMap<>();
  private int turn;

  public ReplicaPositionMonitor(
      SessionGuarantees guarantees, ReplicationConfig config, ServerGroup group, Probes probes) {
    this.guarantees = guarantees;
    this.config = config;
    this.group = group;
    this.probes = probes;
  }

  /** Starts to poll on one loop, if there are several servers or a DNS domain may name several. */
  public void start(EventExecutor loop) {
    List<Backend> first = group.backends();
    if (first.size() < 2 && !first.get(0).address().isDomain()) {
      return;
    }
    group.onAdded(backend -> add(backend, loop));
    group.onRemoved(guarantees::onServerRemoved);
    long interval = config.interval().toMillis();
    loop.scheduleAtFixedRate(
        new GuardedTask("poll of positions", () -> tick(loop)), 0, interval, TimeUnit.MILLISECONDS);
  }

  private void add(Backend backend, EventExecutor loop) {
    String name = backend.address().toString();
    Replication replication = guarantees.replication();
    BooleanSupplier writes = backend.isPrimary() ? () -> group.primary() == backend : null;
    replication.add(backend, group, name, backend::isUsable, writes);
    backend.setReplica(() -> status(replication.status(backend)));
    backend.health().onState(state -> onState(backend, state, loop));
  }

  /**
   * Called when the state of a server has changed. A server passes through another state before it
   * is up, so its position is already awaited then.
   */
  private void onState(Backend backend, BackendState state, EventExecutor loop) {
    boolean isUp = state == BackendState.UP;
    guarantees.replication().onStateChange(backend, isUp || state == BackendState.SUSPECT);
    if (isUp && !loop.isShuttingDown()) {
      loop.execute(
          new GuardedTask(
              "poll of the position of " + backend.address(),
              () -> poll(backend, loop, PositionPoll::pollSoon)));
    }
  }

  private static ReplicaStatus status(Replication.Status status) {
    return new ReplicaStatus(
        status.position(), status.lag().toMillis(), status.behind(), status.uncovered());
  }

  private void tick(EventExecutor loop) {
    Replication replication = guarantees.replication();
    replication.updateHolds();
    if (guarantees.hasUnreplicatedWrites()
        || replication.hasRecentMoves(LIVELY)
        || turn % IDLE_TURNS == 0) {
      polls.keySet().retainAll(group.backends());
      group.backends().forEach(backend -> poll(backend, loop, PositionPoll::poll));
    }
    turn++;
  }

  /** Polls the server unless it was removed. */
  private void poll(Backend backend, EventExecutor loop, Consumer<PositionPoll> action) {
    if (group.backends().contains(backend)) {
      probes.all().stream()
          .filter(probe -> probe.backend() == backend)
          .forEach(
              probe -> action.accept(polls.computeIfAbsent(backend, any -> create(probe, loop))));
    }
  }

  private PositionPoll create(HealthProbe probe, EventExecutor loop) {
    PositionPoll poll = new PositionPoll(loop, probe, guarantees);
    guarantees.setPositionRequester(probe.backend(), poll::pollSoon);
    return poll;
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa;

import io.netty.channel.EventLoop;
import io.stoa.backend.Backend;
import io.stoa.backend.ReplicaStatus;
import io.stoa.change.ReplicationConfig;
import io.stoa.codec.GuardedTask;
import io.stoa.coherence.Consistency;
import io.stoa.coherence.Replication;
import io.stoa.probe.HealthProbe;
import io.stoa.probe.Probes;
import io.stoa.tier.Branch;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Has servers asked now and then how far they have got, if there are several: often while anything
 * is written, else seldom, and whoever has answered a write at once. Event-loop confined.
 */
final class PositionWatch {
  /** So long after the last change servers are still asked often. */
  private static final Duration LIVELY = Duration.ofSeconds(10);

  /** Else only at each of so many turns. */
  private static final int IDLE_TURNS = 4;

  private final Consistency consistency;
  private final ReplicationConfig config;
  private final Branch branch;
  private final Probes probes;
  private final Map<Backend, PositionPoll> polls = new HashMap<>();
  private int turn;

  PositionWatch(Consistency consistency, ReplicationConfig config, Branch branch, Probes probes) {
    this.consistency = consistency;
    this.config = config;
    this.branch = branch;
    this.probes = probes;
  }

  /** Asks from now on, on one loop, if there are several servers or may be. */
  void start(EventLoop loop) {
    List<Backend> first = branch.backends();
    if (first.size() < 2 && !first.get(0).address().isDomain()) {
      return;
    }
    branch.onJoin(this::add);
    branch.onPart(consistency::gone);
    long interval = config.interval().toMillis();
    loop.scheduleAtFixedRate(new GuardedTask(() -> turn(loop)), 0, interval, TimeUnit.MILLISECONDS);
  }

  private void add(Backend backend) {
    String name = backend.address().toString();
    Replication replication = consistency.replication();
    replication.add(backend, branch, name, backend.primary(), backend::usable);
    backend.replica(() -> status(replication.status(backend)));
  }

  private static ReplicaStatus status(Replication.Status status) {
    return new ReplicaStatus(
        status.position(), status.lag().toMillis(), status.behind(), status.uncovered());
  }

  private void turn(EventLoop loop) {
    boolean lively = consistency.busy() || consistency.replication().moving(LIVELY);
    if (lively || turn % IDLE_TURNS == 0) {
      polls.keySet().retainAll(branch.backends());
      for (HealthProbe probe : probes.all()) {
        if (branch.backends().contains(probe.backend())) {
          polls.computeIfAbsent(probe.backend(), any -> poll(probe, loop)).run();
        }
      }
    }
    turn++;
  }

  private PositionPoll poll(HealthProbe probe, EventLoop loop) {
    PositionPoll poll = new PositionPoll(probe, consistency);
    consistency.whenWritten(probe.backend(), new PromptPoll(loop, poll));
    return poll;
  }
}

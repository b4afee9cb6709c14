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
import io.stoa.tier.Branch;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Has servers asked now and then how far they have got, if there are several: often while anything
 * is written, else seldom. Event-loop confined.
 */
final class PositionWatch {
  /** So long after the last change servers are still asked often. */
  private static final Duration LIVELY = Duration.ofSeconds(10);

  /** Else only at each of so many turns. */
  private static final int IDLE_TURNS = 4;

  private final Consistency consistency;
  private final ReplicationConfig config;
  private int turn;

  PositionWatch(Consistency consistency, ReplicationConfig config) {
    this.consistency = consistency;
    this.config = config;
  }

  /** Asks from now on, on one loop. */
  void start(EventLoop loop, Branch branch, List<HealthProbe> probes) {
    if (branch.backends().size() < 2) {
      return;
    }
    branch.backends().forEach(backend -> add(backend, branch));
    List<PositionPoll> polls =
        probes.stream()
            .filter(probe -> branch.backends().contains(probe.backend()))
            .map(probe -> new PositionPoll(probe, consistency))
            .toList();
    long interval = config.interval().toMillis();
    loop.scheduleAtFixedRate(
        new GuardedTask(() -> turn(polls)), interval, interval, TimeUnit.MILLISECONDS);
  }

  private void add(Backend backend, Branch branch) {
    String name = backend.address().toString();
    Replication replication = consistency.replication();
    replication.add(backend, branch, name, backend.primary(), backend::usable);
    backend.replica(() -> status(replication.status(backend)));
  }

  private static ReplicaStatus status(Replication.Status status) {
    return new ReplicaStatus(
        status.position(), status.lag().toMillis(), status.behind(), status.uncovered());
  }

  private void turn(List<PositionPoll> polls) {
    boolean lively = consistency.busy() || consistency.replication().moving(LIVELY);
    if (lively || turn % IDLE_TURNS == 0) {
      polls.forEach(PositionPoll::run);
    }
    turn++;
  }
}

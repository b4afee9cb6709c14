// SPDX-License-Identifier: Apache-2.0
package io.stoa.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.fault.FaultReport.End;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.FaultInjectingProxy;
import io.stoa.testing.Parallel;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.ReplicatedSlapd;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import io.stoa.testing.Soak;
import io.stoa.testing.Standstill;
import io.stoa.upstream.balancing.ServerSpec;
import io.stoa.upstream.server.BackendState;
import io.stoa.upstream.server.ServerAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A primary and two replicas of it, and all that can happen to them, one after the other, while
 * clients read, bind and write: no read and no bind fails, is wrong or waits for long, and each
 * write has its true result, or none.
 */
@Tag("soak")
@Tag("timed")
class FaultsIT {
  private static final int PEOPLE = 100;
  private static final int WORKERS = 12;
  private static final int ROUNDS = Soak.scale(1, 20);
  private static final int READS_IN_FAULT = Soak.scale(1_500, 10_000);
  private static final int READS_AFTER = Soak.scale(300, 5_000);
  private static final long WORST_PAUSE_MILLIS = 1_000;
  private static final Duration SLOW = Duration.ofMillis(100);
  private static final Duration PATIENCE = Duration.ofHours(2);

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private final Standstill machine = Standstill.watch();
  private final AtomicReference<FaultReport> clock =
      new AtomicReference<>(new FaultReport("quiet", machine));

  @AfterEach
  void stop() {
    machine.close();
  }

  /** What happens, and how it is mended. */
  private record Fault(String name, Runnable begin, Runnable end) {}

  private static List<Fault> faults(
      RunningProxy proxy, Slapd primary, Slapd replica, FaultInjectingProxy way) {
    return List.of(
        new Fault("a replica is killed", replica::kill, replica::restart),
        new Fault("a replica freezes", replica::freeze, replica::thaw),
        new Fault("the network of a replica is cut", way::cut, way::mend),
        new Fault("a replica answers slowly", () -> way.slow(SLOW), way::mend),
        new Fault("a replica answers busy", way::busy, way::mend),
        new Fault("a replica is restarted", replica::restart, () -> {}),
        drained("a replica is drained", proxy, way.port(), false),
        drained("the primary is drained", proxy, primary.port(), true),
        new Fault("the primary is killed", primary::kill, primary::restart),
        new Fault("the primary freezes", primary::freeze, primary::thaw));
  }

  private static Fault drained(String name, RunningProxy proxy, int port, boolean primary) {
    ServerAddress address = new ServerAddress("127.0.0.1", port);
    ServerSpec drained = new ServerSpec(address, primary, 1, 1, List.of(), true, "");
    ServerSpec used = new ServerSpec(address, primary, 1, 1, List.of(), false, "");
    return new Fault(
        name,
        () -> proxy.proxy().applyServers(List.of(drained)),
        () -> proxy.proxy().applyServers(List.of(used)));
  }

  @Test
  void noClientSeesAFaultOfADirectory() {
    try (ReplicatedSlapd servers =
            ReplicatedSlapd.start(
                SlapdConfig.stock(), People.SUFFIX, People.ACCESS, People.tree(PEOPLE), 2);
        FaultInjectingProxy toOne = FaultInjectingProxy.to(servers.replica(0).port());
        FaultInjectingProxy toOther = FaultInjectingProxy.to(servers.replica(1).port())) {
      Slapd primary = servers.primary();
      try (RunningProxy proxy =
          ProxySetup.before(primary.port(), toOne.port(), toOther.port()).start()) {
        awaitAllUp(proxy);
        List<Fault> faults = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
          faults.addAll(
              round % 2 == 0
                  ? faults(proxy, primary, servers.replica(0), toOne)
                  : faults(proxy, primary, servers.replica(1), toOther));
        }
        run(proxy, faults, servers);
      }
    }
  }

  private void run(RunningProxy proxy, List<Fault> faults, ReplicatedSlapd servers) {
    List<Worker> workers =
        IntStream.range(0, WORKERS)
            .mapToObj(
                person -> new Worker(person, PEOPLE, witnesses(servers, proxy), proxy, Soak.seed()))
            .toList();
    List<FaultReport> shifts = new ArrayList<>();
    CompletableFuture<Void> load =
        CompletableFuture.runAsync(
            () -> Parallel.run(WORKERS, PATIENCE, number -> workers.get(number).work(clock::get)));
    try {
      for (Fault fault : faults) {
        shifts.add(suffer(fault, proxy, servers));
      }
    } finally {
      clock.set(null);
      load.join();
      workers.forEach(Worker::rest);
      workers.forEach(Worker::close);
    }
    assertAllSeen(shifts);
    try (RawLdapClient directory = RawLdapClient.connect(servers.primary().address())) {
      directory.bind(People.ROOT, SlapdConfig.ROOT_PASSWORD);
      workers.forEach(worker -> worker.end(directory));
    }
  }

  private static DirectServers witnesses(ReplicatedSlapd servers, RunningProxy proxy) {
    return new DirectServers(
        List.of(
            servers.primary().address(),
            servers.replica(0).address(),
            servers.replica(1).address()),
        proxy);
  }

  private FaultReport suffer(Fault fault, RunningProxy proxy, ReplicatedSlapd servers) {
    FaultReport shift = new FaultReport(fault.name(), machine);
    long before = uncovered(proxy);
    clock.set(shift);
    awaitReads(shift, READS_AFTER);
    servers.awaitFollowed(); // what only the primary has cannot be read without it
    awaitInStep(proxy);
    fault.begin().run();
    awaitReads(shift, READS_AFTER + READS_IN_FAULT);
    fault.end().run();
    awaitBack(proxy);
    awaitAllUp(proxy);
    awaitReads(shift, READS_AFTER + READS_IN_FAULT + READS_AFTER);
    Soak.record(shift + "; " + (uncovered(proxy) - before) + " uncovered");
    return shift;
  }

  /** Reads of which it is not known whether their server had what they had to show. */
  private static long uncovered(RunningProxy proxy) {
    return proxy.status().backends().stream()
        .mapToLong(backend -> backend.replica().uncovered())
        .sum();
  }

  private static void awaitReads(FaultReport shift, long count) {
    Await.until("load", () -> shift.count(End.READ) >= count);
  }

  private static void assertAllSeen(List<FaultReport> shifts) {
    assertThat(shifts.stream().flatMap(shift -> shift.failures().stream())).isEmpty();
    assertThat(shifts)
        .allSatisfy(shift -> assertThat(shift.worstMillis()).isLessThan(WORST_PAUSE_MILLIS));
    assertThat(shifts.stream().mapToLong(shift -> shift.count(End.WRITTEN)).sum()).isPositive();
  }

  /** Each fault begins with equal servers, and Stoa knows that. */
  private static void awaitInStep(RunningProxy proxy) {
    Await.until(
        "no replica lags",
        () ->
            proxy.status().backends().stream()
                .allMatch(backend -> backend.replica().lagMillis() == 0));
  }

  /** Writes miss a primary that was away: it is not away for long after its return. */
  private void awaitBack(RunningProxy proxy) {
    long mended = System.nanoTime();
    Await.until(
        "the primary is noticed",
        () -> proxy.status().backends().get(0).state() == BackendState.UP);
    assertThat(Duration.ofNanos(machine.nanos(mended, System.nanoTime())))
        .isLessThan(Duration.ofMillis(WORST_PAUSE_MILLIS));
  }

  private static void awaitAllUp(RunningProxy proxy) {
    Await.until(
        "all are up",
        () ->
            proxy.status().backends().stream()
                .allMatch(backend -> backend.state() == BackendState.UP));
  }
}

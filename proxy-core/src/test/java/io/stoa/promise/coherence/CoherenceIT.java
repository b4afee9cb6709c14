// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.cache.result.CacheStats;
import io.stoa.cache.sharing.ClassStatus;
import io.stoa.coherence.invalidation.DomainStatus;
import io.stoa.sim.check.Bounds;
import io.stoa.sim.check.Read;
import io.stoa.sim.check.Recording;
import io.stoa.sim.check.SetChecker;
import io.stoa.sim.check.Violation;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.FaultInjectingProxy;
import io.stoa.testing.Parallel;
import io.stoa.testing.Progress;
import io.stoa.testing.Slapd;
import io.stoa.testing.Soak;
import io.stoa.upstream.server.BackendState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A primary that somebody writes to past Stoa, two replicas, and all that can happen to them, while
 * people with different rights, which change, read through Stoa: whatever they are told was so
 * within the bound, and is what they may see. The long form goes on where it was stopped.
 */
@Tag("soak")
@Tag("timed")
class CoherenceIT {
  /** How old what rests on the feed may be. */
  private static final Duration STALENESS = Duration.ofSeconds(1);

  /** And what does not: nearly all that comes from memory rests on the feed. */
  private static final Duration MAX_AGE = Duration.ofMillis(20);

  /** So far behind may a server be from which is read. */
  private static final Duration LAG = Duration.ofMillis(750);

  /** So long ago may it be that a server was asked how far it is. */
  private static final Duration POSITION_INTERVAL = Duration.ofMillis(250);

  private static final Duration BEHIND = LAG.plus(POSITION_INTERVAL).plus(STALENESS);

  private static final long MEMORY = TimeUnit.SECONDS.toNanos(60);
  private static final long WRITE_PAUSE = TimeUnit.MILLISECONDS.toNanos(15);
  private static final Duration SLOW = Duration.ofMillis(100);
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final int READERS = Soak.scale(6, 24);
  private static final long READS = Soak.scale(4_000L, 2_500_000L);
  private static final long READS_OF_ONE = Soak.scale(4_000L, 500_000L);
  private static final int READS_BEFORE = Soak.scale(500, 2_000);
  private static final int READS_IN_FAULT = Soak.scale(1_000, 6_000);
  private static final int READS_AFTER = Soak.scale(500, 4_000);

  /** So many writes, too, before anything goes wrong and again afterwards: readers are faster. */
  private static final int WRITES = 50;

  /** So many results are shared, and so many updated in place, in each round before its fault. */
  private static final int SHARED_IN_ROUND = 2;

  private static final int MAX_PAUSES = 20;

  private static final Pattern PERSON = Pattern.compile("cn=e\\d+(?=,)");

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  /**
   * What Stoa has counted.
   *
   * @param shared hits of those who are given the same
   * @param amended results that were changed in place
   */
  private record Counted(long hits, long fills, long shared, long amended) {
    static Counted of(SlapdWithFeed people) {
      CacheStats cache = people.proxy().cache();
      DomainStatus realm = people.report().domain();
      long shared = cache.classes().stream().mapToLong(ClassStatus::hits).sum();
      return new Counted(cache.filterHits(), realm.fills(), shared, realm.updates());
    }

    void since(Counted before, Progress progress) {
      progress.add("hits", hits - before.hits);
      progress.add("fills", fills - before.fills);
      progress.add("shared", shared - before.shared);
      progress.add("amended", amended - before.amended);
    }
  }

  /**
   * What happens, and how it is mended.
   *
   * @param killed the server that is started again; null if none is
   */
  private record Fault(
      String name, boolean ofPrimary, Runnable begin, Runnable end, @Nullable Slapd killed) {
    Fault(String name, boolean ofPrimary, Runnable begin, Runnable end) {
      this(name, ofPrimary, begin, end, null);
    }

    static Fault killing(String name, boolean ofPrimary, Slapd server) {
      return new Fault(name, ofPrimary, server::kill, server::restart, server);
    }
  }

  private static List<Fault> faults(SlapdWithFeed people) {
    return people.ways().size() > 1 ? faultsOfThree(people) : faultsOfOne(people);
  }

  private static List<Fault> faultsOfOne(SlapdWithFeed people) {
    Slapd primary = people.slapd();
    FaultInjectingProxy way = people.ways().get(0);
    return List.of(
        new Fault("the server answers slowly", false, () -> way.slow(SLOW), way::mend),
        new Fault("the server freezes", true, primary::freeze, primary::thaw),
        new Fault("nothing", false, () -> {}, () -> {}));
  }

  private static List<Fault> faultsOfThree(SlapdWithFeed people) {
    Slapd primary = people.slapd();
    Slapd replica = people.servers().replica(0);
    Slapd other = people.servers().replica(1);
    FaultInjectingProxy toPrimary = people.ways().get(0);
    FaultInjectingProxy toReplica = people.ways().get(1);
    return List.of(
        new Fault("the way to the primary is cut", false, toPrimary::cut, toPrimary::mend),
        new Fault("a replica freezes", false, replica::freeze, replica::thaw),
        Fault.killing("the primary is killed", true, primary),
        new Fault("nothing", false, () -> {}, () -> {}),
        Fault.killing("a replica is killed", false, other),
        new Fault("the primary answers slowly", false, () -> toPrimary.slow(SLOW), toPrimary::mend),
        new Fault("the way to a replica is cut", false, toReplica::cut, toReplica::mend),
        new Fault("the primary freezes", true, primary::freeze, primary::thaw),
        new Fault("a replica answers busy", false, toReplica::busy, toReplica::mend),
        new Fault("a replica answers slowly", false, () -> toReplica.slow(SLOW), toReplica::mend));
  }

  @Test
  void noAnswerFromAFeedIsOlderThanItsBound() {
    hold("CoherenceIT", false, 2);
  }

  /** Here no server that is behind answers, and what follows from groups is known. */
  @Test
  void noAnswerOfASingleServerIsOlderThanTheFeedBound() {
    hold("CoherenceIT-one", false, 0);
  }

  @Test
  void noAnswerIsOlderThanItsBoundIfTheFeedIsBlind() {
    hold("CoherenceIT-blind", true, 2);
  }

  private void hold(String name, boolean blind, int replicas) {
    SlapdWithFeedSetup setup =
        OracleWorld.setup(MAX_AGE, blind)
            .bound(STALENESS)
            .maxLag(LAG)
            .replicas(replicas)
            .behindFaultyWays();
    Progress progress = Progress.of(name);
    Duration bound = replicas == 0 ? STALENESS : BEHIND;
    try (SlapdWithFeed people = setup.start()) {
      people.proxy().awaitUp(1 + replicas);
      OracleTree tree =
          new OracleTree(OracleWorld.first(), new OracleWorld.Rules(false), replicas > 0);
      long seed = progress.seed() + progress.count("rounds");
      OracleWriter writer = new OracleWriter(people, tree, seed);
      List<Fault> faults = faults(people);
      long enough = replicas == 0 ? READS_OF_ONE : READS;
      while (progress.count("reads") < enough) {
        long round = progress.count("rounds");
        Fault fault = faults.get((int) (round % faults.size()));
        Counted before = Counted.of(people);
        try (Round one = new Round(people, writer, seed + round * READERS)) {
          one.suffer(fault, (round + round / faults.size()) % 2 == 0);
          progress.add("reads", judged(one.reads(), tree, fault, bound));
        }
        Counted.of(people).since(before, progress);
        progress.add("rounds", 1);
        progress.add("writes", writer.written());
        progress.add("rules", 1);
        tree.forget(System.nanoTime() - MEMORY);
        progress.keep();
      }
      Soak.record(name + ": " + progress);
      // a feed that is blind to some changes vouches for little; and at first there is nothing
      long part = (blind ? 5L : 1L) * Soak.scale(20, 4);
      assertThat(progress.count("hits")).isGreaterThan(progress.count("reads") / part);
      assertThat(progress.count("fills")).isGreaterThan(progress.count("rounds"));
      if (!blind) {
        assertThat(progress.count("shared")).isGreaterThan(progress.count("rounds"));
        assertThat(progress.count("amended")).isGreaterThan(progress.count("rounds"));
        assertThat(people.proxy().cache().classes().get(0).demotions()).isZero();
      }
      progress.end();
    }
  }

  private static long judged(List<Read> reads, OracleTree tree, Fault fault, Duration bound) {
    long nanos = bound.toNanos();
    Bounds bounds = new Bounds(nanos, nanos, OracleWorld.RIGHTS.toNanos(), nanos, false);
    List<Violation> wrong = new SetChecker().check(new Recording(reads, List.of()), tree, bounds);
    assertThat(wrong)
        .as(() -> fault.name() + ", " + age(reads, tree) + stories(wrong, tree))
        .isEmpty();
    return reads.size();
  }

  private static String stories(List<Violation> wrong, OracleTree tree) {
    return PERSON
        .matcher(wrong.toString())
        .results()
        .map(MatchResult::group)
        .distinct()
        .map(tree::story)
        .collect(Collectors.joining());
  }

  /** How old what was told is. */
  private static String age(List<Read> reads, OracleTree tree) {
    for (long seconds = 3; seconds < 60; seconds *= 2) {
      long nanos = TimeUnit.SECONDS.toNanos(seconds);
      Bounds bounds = new Bounds(nanos, nanos, nanos, nanos, false);
      if (new SetChecker().check(new Recording(reads, List.of()), tree, bounds).isEmpty()) {
        return "not older than " + seconds + " s";
      }
    }
    return "older, or never so";
  }

  /** Readers and a writer at work while one thing happens. Thread-safe. */
  private static final class Round implements AutoCloseable {
    private final SlapdWithFeed people;
    private final OracleWriter writer;
    private final List<OracleReader> readers;
    private final AtomicLong done = new AtomicLong();
    private final AtomicLong written = new AtomicLong();
    private final AtomicBoolean over = new AtomicBoolean();

    Round(SlapdWithFeed people, OracleWriter writer, long seed) {
      this.people = people;
      this.writer = writer;
      this.readers =
          IntStream.range(0, READERS)
              .mapToObj(
                  i ->
                      new OracleReader(
                          people,
                          OracleWorld.IDENTITIES.get(i % OracleWorld.IDENTITIES.size()),
                          people.ways().size() == 1,
                          seed + i))
              .toList();
    }

    /**
     * All of it.
     *
     * @param before whether the rules of access change before it goes wrong, and not afterwards
     */
    void suffer(Fault fault, boolean before) {
      CompletableFuture<Void> load =
          CompletableFuture.runAsync(() -> Parallel.run(READERS + 1, PATIENCE, this::work));
      try {
        exercise(load);
        if (before) {
          writer.rule();
        }
        if (fault.ofPrimary()) {
          writer.pausing(() -> happen(load, fault));
        } else {
          happen(load, fault);
        }
        if (!before) {
          writer.rule();
        }
        await(load, READS_AFTER, WRITES);
        if (!writer.abort()) {
          awaitAllUp();
        }
      } finally {
        over.set(true);
        load.join();
      }
    }

    /**
     * Reads and writes until results were shared and updated in place, if there is a class. A
     * mismatch stays open while its answer changes all the time, so the writer then pauses. A class
     * that was demoted is restored, as an administrator would.
     */
    private void exercise(CompletableFuture<Void> load) {
      Counted before = Counted.of(people);
      await(load, READS_BEFORE, WRITES);
      for (int pauses = 0; !load.isDone() && !hasShared(before); pauses++) {
        assertThat(pauses)
            .as(() -> "pauses without shared and updated results: " + shared())
            .isLessThan(MAX_PAUSES);
        writer.pausing(() -> Await.until("no member is suspended", () -> !hasSuspended(load)));
        if (shared().demoted()) {
          people.proxy().proxy().adminCommands().caches().classes().restore(shared().name());
        }
        await(load, READS_BEFORE, WRITES);
      }
    }

    /** True if there is no class, or its members shared results since, and some were updated. */
    private boolean hasShared(Counted before) {
      Counted now = Counted.of(people);
      return people.proxy().cache().classes().isEmpty()
          || (now.shared - before.shared >= SHARED_IN_ROUND
              && now.amended - before.amended >= SHARED_IN_ROUND);
    }

    private boolean hasSuspended(CompletableFuture<Void> load) {
      return !load.isDone() && shared().suspended() > 0;
    }

    private ClassStatus shared() {
      return people.proxy().cache().classes().get(0);
    }

    private void happen(CompletableFuture<Void> load, Fault fault) {
      long begun = System.nanoTime();
      fault.begin().run();
      await(load, READS_IN_FAULT, 0);
      fault.end().run();
      Slapd killed = fault.killed();
      if (killed != null) {
        writer.restarted(killed, begun);
      }
      if (fault.ofPrimary()) {
        people.connect();
      }
      awaitAllUp();
    }

    private void await(CompletableFuture<Void> load, long reads, long writes) {
      long read = done.get() + reads;
      long wrote = written.get() + writes;
      Await.until(
          reads + " reads and " + writes + " writes",
          PATIENCE,
          () -> (done.get() >= read && written.get() >= wrote) || load.isDone());
    }

    private void awaitAllUp() {
      Await.until(
          "all are up",
          () ->
              people.proxy().status().backends().stream()
                  .allMatch(backend -> backend.state() == BackendState.UP));
    }

    private void work(int number) {
      while (!over.get()) {
        if (number == READERS) {
          writer.write();
          written.incrementAndGet();
          LockSupport.parkNanos(WRITE_PAUSE);
        } else {
          readers.get(number).read();
          done.incrementAndGet();
        }
      }
    }

    List<Read> reads() {
      List<Read> all = new ArrayList<>();
      readers.forEach(reader -> all.addAll(reader.takeReads()));
      return all;
    }

    @Override
    public void close() {
      readers.forEach(OracleReader::close);
    }
  }
}

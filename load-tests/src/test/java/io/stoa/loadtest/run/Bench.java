// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.run;

import io.stoa.testing.Leftovers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

/**
 * One run of an experiment: starts the servers, measures the phases one after the other, prints
 * progress, and ends what it has started.
 *
 * <p>Threading: not thread-safe.
 */
public final class Bench implements AutoCloseable {
  private static final String[] COUNTERS = {
    "filter_cache_hit", "filter_cache_miss", "entry_cache_hit", "entry_cache_miss"
  };

  /** Time in which a Java runtime under full load compiles its code: half a minute. */
  private static final Duration COMPILATION = Duration.ofSeconds(30);

  private final Scale scale;
  private final Path directory;
  private final Report report;
  private final boolean pages;
  private final Deque<AutoCloseable> started = new ArrayDeque<>();
  private final List<PhaseResult> outcomes = new ArrayList<>();
  private final long begun = System.nanoTime();
  private CannedServer canned;

  /**
   * @param directory directory of the results
   * @param pages true if Gatling writes its report of each measured phase
   */
  public Bench(String name, Scale scale, Path directory, boolean pages) {
    this.scale = scale;
    this.directory = directory;
    this.pages = pages;
    this.report = new Report(name, directory);
  }

  public Scale scale() {
    return scale;
  }

  public Report report() {
    return report;
  }

  /** Returns the outcomes in the order of measurement. */
  public List<PhaseResult> outcomes() {
    return List.copyOf(outcomes);
  }

  /** Returns the only outcome with this label. */
  public PhaseResult outcome(String label) {
    return outcomes.stream().filter(one -> one.label().equals(label)).findFirst().orElseThrow();
  }

  public Directory directory(int people) {
    print("starting slapd with " + people + " people");
    return registered(Directory.start(people));
  }

  /** Starts a directory with an account for a change feed. */
  public Directory directoryWithFeed(int people) {
    print("starting slapd with " + people + " people, and with syncprov");
    return registered(Directory.startWithFeed(people));
  }

  private Directory registered(Directory slapd) {
    keep(slapd);
    report.environment("slapd's configuration", slapd.configuration());
    return slapd;
  }

  /** Starts Stoa with these lines of configuration. The experiment may end it early. */
  public StoaServer stoa(String name, Directory upstream, String configuration) {
    StoaServer stoa = keep(StoaServer.start(name, upstream, configuration));
    report.environment("configuration of " + name, stoa.configuration());
    return stoa;
  }

  /** Ends a server before the run is over. */
  public void end(AutoCloseable what) {
    started.remove(what);
    close(what);
  }

  /** Runs a phase without recording its outcome, except failures. */
  public void warmUp(Phase phase, Target target) {
    Path forgotten = Leftovers.directory("stoa-load");
    PhaseRun course = new PhaseRun(phase);
    GatlingRun.run(phase.population(target, course), phase.limit(), forgotten, false);
    Leftovers.delete(forgotten);
    report.failuresOf(
        PhaseResult.of(phase, target, course, PhaseResult.Hits.NONE, PhaseResult.Caches.NONE));
  }

  /** Runs a phase without recording its outcome, and then flushes Stoa's caches. */
  public void warmUp(Phase phase, StoaServer stoa) {
    warmUp(phase, stoa.target());
    stoa.flush();
  }

  public PhaseResult measure(Phase phase, Target target) {
    PhaseRun course = run(phase, target);
    return measured(
        PhaseResult.of(phase, target, course, PhaseResult.Hits.NONE, PhaseResult.Caches.NONE));
  }

  /** Measures a phase, with Stoa's counters of its caches. */
  public PhaseResult measure(Phase phase, StoaServer stoa) {
    long[] before = stoa.monitor(COUNTERS);
    PhaseRun course = run(phase, stoa.target());
    long[] after = stoa.monitor(COUNTERS);
    PhaseResult.Hits hits =
        new PhaseResult.Hits(
            after[0] - before[0], after[1] - before[1], after[2] - before[2], after[3] - before[3]);
    long[] now = stoa.monitor("filter_cache_current", "entry_cache_current", "cache_bytes");
    PhaseResult.Caches caches = new PhaseResult.Caches(now[0], now[1], now[2]);
    return measured(PhaseResult.of(phase, stoa.target(), course, hits, caches));
  }

  /**
   * Measures the rate of the generator itself: the same phase for the same time, against a server
   * that answers at once. A figure near that rate says nothing about the measured server. An
   * unmeasured run comes first, so that both JVMs have compiled their code; the first one is long,
   * as that of Stoa. In brief it only has to work.
   */
  public PhaseResult ceiling(Phase phase) {
    Duration cold = scale.of(COMPILATION, scale.warmUp());
    Duration warm = scale.of(phase.time(), scale.warmUp());
    warmUp(phase.withoutHook().during(canned == null ? cold : warm), canned());
    return measure(phase.withoutHook(), canned());
  }

  private PhaseRun run(Phase phase, Target target) {
    PhaseRun course = new PhaseRun(phase);
    String folder = (target.name() + " " + phase.name()).replaceAll("[^A-Za-z0-9]+", "-");
    Path results = directory.resolve("gatling").resolve(folder);
    GatlingRun.run(phase.population(target, course), phase.limit(), results, pages);
    return course;
  }

  private PhaseResult measured(PhaseResult outcome) {
    outcomes.add(outcome);
    report.latencies(outcome);
    report.failuresOf(outcome);
    print(
        String.format(
            Locale.ROOT,
            "%s, %d users: %,.0f a second, p50 %,d us, p99 %,d us, %d errors, %.0f%% from memory%s",
            outcome.label(),
            outcome.users(),
            outcome.rate(),
            outcome.micros(50),
            outcome.micros(99),
            outcome.errors(),
            100 * outcome.hits().filter(),
            outcome.mistakes().isEmpty() ? "" : " " + outcome.mistakes()));
    return outcome;
  }

  /** Returns the server that answers at once, which is started on first use. */
  private Target canned() {
    if (canned == null) {
      canned = keep(CannedServer.start());
    }
    return canned.target();
  }

  /** Prints a line of progress. */
  public void print(String what) {
    System.out.printf(
        Locale.ROOT, "[%4d s] %s%n", (System.nanoTime() - begun) / 1_000_000_000, what);
  }

  private <T extends AutoCloseable> T keep(T resource) {
    started.push(resource);
    return resource;
  }

  /**
   * Runs an experiment to its end or its failure, ends what it has started, and writes the results
   * in both cases.
   *
   * @return true if nothing has failed
   */
  public boolean run(Experiment experiment) {
    guarded(() -> experiment.run(this));
    while (!started.isEmpty()) {
      guarded(this::close);
    }
    print("\n" + write());
    return report.failures().isEmpty();
  }

  private void guarded(Runnable what) {
    try {
      what.run();
    } catch (RuntimeException | AssertionError e) {
      e.printStackTrace();
      report.failed("the experiment failed: " + e);
    }
  }

  /** Writes the results, and returns the tables. */
  public String write() {
    return report.write();
  }

  @Override
  public void close() {
    while (!started.isEmpty()) {
      close(started.pop());
    }
  }

  private static void close(AutoCloseable what) {
    try {
      what.close();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}

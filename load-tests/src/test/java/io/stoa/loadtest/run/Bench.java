// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.run;

import io.stoa.testing.Leftovers;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;

/**
 * One run of an experiment: starts what it needs, measures its phases one after the other, tells
 * how far it is, and ends what it has started. Not thread-safe.
 */
public final class Bench implements AutoCloseable {
  private static final String[] COUNTERS = {
    "filter_cache_hit", "filter_cache_miss", "entry_cache_hit", "entry_cache_miss"
  };

  private final Scale scale;
  private final Path directory;
  private final Report report;
  private final boolean pages;
  private final Deque<AutoCloseable> started = new ArrayDeque<>();
  private final List<Outcome> outcomes = new ArrayList<>();
  private final long begun = System.nanoTime();
  private CannedServer canned;

  /**
   * @param directory where all is left
   * @param pages whether Gatling writes its report of each measured phase
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

  /** What was measured, in order. */
  public List<Outcome> outcomes() {
    return List.copyOf(outcomes);
  }

  /** The only outcome of this label. */
  public Outcome outcome(String label) {
    return outcomes.stream().filter(one -> one.label().equals(label)).findFirst().orElseThrow();
  }

  public Directory directory(int people) {
    say("starting slapd with " + people + " people");
    return told(Directory.start(people));
  }

  /** The same with an account that is told of changes. */
  public Directory directoryWithFeed(int people) {
    say("starting slapd with " + people + " people, and with syncprov");
    return told(Directory.startWithFeed(people));
  }

  private Directory told(Directory slapd) {
    keep(slapd);
    report.environment("slapd's configuration", slapd.configuration());
    return slapd;
  }

  /**
   * Starts Stoa with these lines of configuration; the experiment ends it when it needs it no more.
   */
  public StoaServer stoa(String name, Directory upstream, String configuration) {
    StoaServer stoa = keep(StoaServer.start(name, upstream, configuration));
    report.environment("configuration of " + name, stoa.configuration());
    return stoa;
  }

  /** Ends what was started, before the run is over. */
  public void end(AutoCloseable what) {
    started.remove(what);
    close(what);
  }

  /** Runs a phase and forgets it, unless it fails. */
  public void settle(Phase phase, Target target) {
    Path forgotten = Leftovers.directory("stoa-load");
    Course course = new Course(phase);
    GatlingRun.run(phase.population(target, course), phase.limit(), forgotten, false);
    Leftovers.delete(forgotten);
    report.failuresOf(Outcome.of(phase, target, course, Outcome.Hits.NONE, Outcome.Caches.NONE));
  }

  /** The same, after which Stoa knows nothing of what was asked. */
  public void settle(Phase phase, StoaServer stoa) {
    settle(phase, stoa.target());
    stoa.flush();
  }

  public Outcome measure(Phase phase, Target target) {
    Course course = run(phase, target);
    return measured(Outcome.of(phase, target, course, Outcome.Hits.NONE, Outcome.Caches.NONE));
  }

  /** The same with what Stoa says of its caches. */
  public Outcome measure(Phase phase, StoaServer stoa) {
    long[] before = stoa.monitor(COUNTERS);
    Course course = run(phase, stoa.target());
    long[] after = stoa.monitor(COUNTERS);
    Outcome.Hits hits =
        new Outcome.Hits(
            after[0] - before[0], after[1] - before[1], after[2] - before[2], after[3] - before[3]);
    long[] now = stoa.monitor("filter_cache_current", "entry_cache_current", "cache_bytes");
    Outcome.Caches caches = new Outcome.Caches(now[0], now[1], now[2]);
    return measured(Outcome.of(phase, stoa.target(), course, hits, caches));
  }

  /**
   * What this generator reaches in the same phase, which is for a time, for half of it, against a
   * server that answers at once. A figure near it says nothing of what is measured. The same runs
   * unmeasured before, since both have to be compiled; in brief it only has to work.
   */
  public Outcome ceiling(Phase phase) {
    settle(phase.during(scale.of(phase.time(), scale.settle())), canned());
    return measure(phase.shorter(), canned());
  }

  private Course run(Phase phase, Target target) {
    Course course = new Course(phase);
    String folder = (target.name() + " " + phase.name()).replaceAll("[^A-Za-z0-9]+", "-");
    Path results = directory.resolve("gatling").resolve(folder);
    GatlingRun.run(phase.population(target, course), phase.limit(), results, pages);
    return course;
  }

  private Outcome measured(Outcome outcome) {
    outcomes.add(outcome);
    report.latencies(outcome);
    report.failuresOf(outcome);
    say(
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

  /** The server that answers at once; it is started when it is first needed. */
  private Target canned() {
    if (canned == null) {
      canned = keep(CannedServer.start());
    }
    return canned.target();
  }

  /** A line that says how far the run is. */
  public void say(String what) {
    System.out.printf(
        Locale.ROOT, "[%4d s] %s%n", (System.nanoTime() - begun) / 1_000_000_000, what);
  }

  private <T extends AutoCloseable> T keep(T resource) {
    started.push(resource);
    return resource;
  }

  /**
   * Runs an experiment to its end or its failure, ends what it has started, and writes what was
   * found either way.
   *
   * @return whether nothing has failed
   */
  public boolean run(Experiment experiment) {
    guarded(() -> experiment.run(this));
    while (!started.isEmpty()) {
      guarded(this::close);
    }
    say("\n" + write());
    return report.failures().isEmpty();
  }

  private void guarded(Runnable what) {
    try {
      what.run();
    } catch (RuntimeException | AssertionError e) {
      e.printStackTrace();
      report.failed("it did not come to its end: " + e);
    }
  }

  /** Writes what was found, and returns its tables. */
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

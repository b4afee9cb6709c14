// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.run;

import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.stoa.loadtest.LdapDsl.entries;
import static io.stoa.loadtest.LdapDsl.ldap;

import io.gatling.javaapi.core.ChainBuilder;
import io.stoa.loadtest.engine.Latencies;
import io.stoa.testing.Leftovers;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * One run of an experiment: starts what it needs, measures its phases one after the other, tells
 * how far it is, and ends what it has started. Not thread-safe.
 */
public final class Bench implements AutoCloseable {
  private static final String EXACT = "exact";

  private final Scale scale;
  private final Path directory;
  private final Report report;
  private final boolean pages;
  private final Deque<AutoCloseable> started = new ArrayDeque<>();
  private final List<Outcome> outcomes = new ArrayList<>();
  private final Map<Integer, Double> ceilings = new HashMap<>();
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
    return keep(Directory.start(people));
  }

  /**
   * Starts Stoa with these lines of configuration; the experiment ends it when it needs it no more.
   */
  public StoaServer stoa(String name, Directory upstream, String configuration) {
    return keep(StoaServer.start(name, upstream, configuration));
  }

  /** Whether the Stoa that is measured knows this configuration. */
  public boolean accepts(String configuration) {
    return StoaServer.accepts(configuration);
  }

  /** Ends what was started, before the run is over. */
  public void end(AutoCloseable what) {
    started.remove(what);
    close(what);
  }

  /** Runs a phase and forgets it. */
  public void settle(Phase phase, Target target) {
    Path forgotten = Leftovers.directory("stoa-load");
    GatlingRun.run(phase.population(target, new Latencies()), phase.limit(), forgotten, false);
    Leftovers.delete(forgotten);
  }

  public Outcome measure(Phase phase, Target target) {
    return measured(phase, target, Outcome.Hits.NONE, run(phase, target));
  }

  /** The same with what Stoa says of its caches. */
  public Outcome measure(Phase phase, StoaServer stoa) {
    long[] before = counters(stoa);
    Latencies latencies = run(phase, stoa.target());
    long[] after = counters(stoa);
    Outcome.Hits hits =
        new Outcome.Hits(
            after[0] - before[0], after[1] - before[1], after[2] - before[2], after[3] - before[3]);
    return measured(phase, stoa.target(), hits, latencies);
  }

  private static long[] counters(StoaServer stoa) {
    return stoa.monitor(
        "filter_cache_hit", "filter_cache_miss", "entry_cache_hit", "entry_cache_miss");
  }

  private Latencies run(Phase phase, Target target) {
    Latencies latencies = new Latencies();
    String folder = (target.name() + " " + phase.name()).replaceAll("[^A-Za-z0-9]+", "-");
    Path results = directory.resolve("gatling").resolve(folder);
    GatlingRun.run(phase.population(target, latencies), phase.limit(), results, pages);
    return latencies;
  }

  private Outcome measured(Phase phase, Target target, Outcome.Hits hits, Latencies latencies) {
    Outcome outcome = Outcome.of(phase, target, latencies, hits);
    outcomes.add(outcome);
    report.latencies(outcome);
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
            100 * hits.filter(),
            outcome.mistakes().isEmpty() ? "" : " " + outcome.mistakes()));
    return outcome;
  }

  /**
   * What this generator reaches with so many users: one-entry searches each second against a server
   * that answers at once. A figure near it says nothing of what is measured.
   */
  public double ceiling(int users) {
    return ceilings.computeIfAbsent(users, this::measureCeiling);
  }

  private double measureCeiling(int users) {
    Target target = canned();
    Phase phase = Phase.of("ceiling " + users, users, exact()).during(scale.run().dividedBy(2));
    return measure(phase, target).rate();
  }

  /** The server that answers at once, with one entry. */
  public Target canned() {
    if (canned == null) {
      canned = keep(CannedServer.start());
      settle(Phase.of("settle", 16, exact()).during(scale.settle()), canned.target());
    }
    return canned.target();
  }

  private static ChainBuilder exact() {
    return exec(
        ldap(EXACT)
            .search(Directory.PEOPLE)
            .filter("(uid=user.1)")
            .attributes("uid", "cn", "mail")
            .check(entries(1)));
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

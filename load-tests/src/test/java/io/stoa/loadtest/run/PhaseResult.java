// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.run;

import io.stoa.loadtest.engine.Latencies;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Outcome of a phase.
 *
 * @param errors number of wrong answers, of requests that could not be built, and of users that had
 *     not finished
 * @param hits what Stoa's caches did during the phase
 * @param caches contents of the caches after it
 */
public record PhaseResult(
    String target,
    String phase,
    int users,
    Latencies.Summary all,
    Map<String, Latencies.Summary> byName,
    long errors,
    List<String> mistakes,
    Hits hits,
    Caches caches) {

  /** Counters of {@code cn=monitor} during the phase. */
  public record Hits(long filterHits, long filterMisses, long entryHits, long entryMisses) {
    static final Hits NONE = new Hits(0, 0, 0, 0);

    /** Returns the ratio of cacheable searches answered from memory. */
    public double filter() {
      return part(filterHits, filterMisses);
    }

    private static double part(long hits, long misses) {
      return hits + misses == 0 ? 0 : (double) hits / (hits + misses);
    }
  }

  /**
   * Contents of the caches after the phase, from {@code cn=monitor}.
   *
   * @param results number of stored results
   * @param octets memory of both caches, as Stoa estimates it
   */
  public record Caches(long results, long entries, long octets) {
    static final Caches NONE = new Caches(0, 0, 0);
  }

  static PhaseResult of(Phase phase, Target target, PhaseRun course, Hits hits, Caches caches) {
    Latencies latencies = course.latencies();
    Latencies.Summary all = latencies.total();
    int cutOff = phase.users() - course.finished();
    List<String> mistakes = new ArrayList<>(latencies.mistakes());
    if (cutOff > 0) {
      mistakes.add(
          String.format(
              Locale.ROOT,
              "of %d users %d had started and %d had finished when the phase was cut off after %d s",
              phase.users(),
              course.started(),
              course.finished(),
              phase.limit().toSeconds()));
    }
    return new PhaseResult(
        target.name(),
        phase.name(),
        phase.users(),
        all,
        latencies.byName(),
        all.mistakes() + latencies.crashes() + cutOff,
        mistakes,
        hits,
        caches);
  }

  public String label() {
    return target + ", " + phase;
  }

  public double rate() {
    return all.rate();
  }

  /** Returns the rate of the requests of one name. */
  public double rate(String name) {
    return byName.containsKey(name) ? byName.get(name).rate() : 0;
  }

  /** Returns a percentile of the latencies in microseconds. */
  public long micros(double percent) {
    return all.micros().getValueAtPercentile(percent);
  }
}

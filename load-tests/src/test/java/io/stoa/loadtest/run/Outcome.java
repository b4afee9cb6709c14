// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.run;

import io.stoa.loadtest.engine.Latencies;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What came of a phase.
 *
 * @param errors requests without the right answer, those that could not be made, and users that the
 *     phase did not wait for
 * @param hits what Stoa's caches did during the phase
 * @param caches what was in them after it
 */
public record Outcome(
    String target,
    String phase,
    int users,
    Latencies.Summary all,
    Map<String, Latencies.Summary> byName,
    long errors,
    List<String> mistakes,
    Hits hits,
    Caches caches) {

  /** What {@code cn=monitor} has counted during the phase. */
  public record Hits(long filterHits, long filterMisses, long entryHits, long entryMisses) {
    static final Hits NONE = new Hits(0, 0, 0, 0);

    /** The part of the cacheable searches that was answered from memory. */
    public double filter() {
      return part(filterHits, filterMisses);
    }

    private static double part(long hits, long misses) {
      return hits + misses == 0 ? 0 : (double) hits / (hits + misses);
    }
  }

  /**
   * What {@code cn=monitor} said of the caches when the phase was over.
   *
   * @param results how many results are stored
   * @param octets memory of both caches, as Stoa estimates it
   */
  public record Caches(long results, long entries, long octets) {
    static final Caches NONE = new Caches(0, 0, 0);
  }

  static Outcome of(Phase phase, Target target, Course course, Hits hits, Caches caches) {
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
    return new Outcome(
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

  /** Of the requests of one name alone. */
  public double rate(String name) {
    return byName.containsKey(name) ? byName.get(name).rate() : 0;
  }

  /** Microseconds within which this part of the requests, in percent, was answered. */
  public long micros(double percent) {
    return all.micros().getValueAtPercentile(percent);
  }
}

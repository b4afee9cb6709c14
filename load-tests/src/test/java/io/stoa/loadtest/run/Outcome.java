// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.run;

import io.stoa.loadtest.engine.Latencies;
import java.util.List;
import java.util.Map;

/**
 * What came of a phase.
 *
 * @param errors requests without the right answer, and those that could not be made
 */
public record Outcome(
    String target,
    String phase,
    int users,
    Latencies.Summary all,
    Map<String, Latencies.Summary> byName,
    long errors,
    List<String> mistakes,
    Hits hits) {

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

  static Outcome of(Phase phase, Target target, Latencies latencies, Hits hits) {
    Latencies.Summary all = latencies.total();
    return new Outcome(
        target.name(),
        phase.name(),
        phase.users(),
        all,
        latencies.byName(),
        all.mistakes() + latencies.crashes(),
        latencies.mistakes(),
        hits);
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

// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * Latencies in microseconds, by the name of the request: Gatling keeps whole milliseconds, of which
 * an answer from memory takes a tenth. Each event loop writes into histograms of its own; they are
 * read when the run is over. Thread-safe.
 */
public final class Latencies {
  private static final long MOST_MICROS = 3_600_000_000L;
  private static final int DIGITS = 3;
  private static final int MISTAKES_TOLD = 5;

  private final List<OfThread> threads = new CopyOnWriteArrayList<>();
  private final List<String> crashes = new CopyOnWriteArrayList<>();

  /**
   * What is known of the requests of one name.
   *
   * @param micros of those without a mistake
   * @param first when the first one was sent, by {@code System.nanoTime}
   * @param last when the last one ended
   */
  public record Summary(
      Histogram micros, long ok, long entries, long mistakes, long first, long last) {
    /**
     * Requests without a mistake each second, from the first that was sent to the end of the last.
     */
    public double rate() {
      return seconds() == 0 ? 0 : ok / seconds();
    }

    /** Entries each second. */
    public double entryRate() {
      return seconds() == 0 ? 0 : entries / seconds();
    }

    private double seconds() {
      return (last - first) / 1e9;
    }

    Summary and(Summary other) {
      Histogram sum = micros.copy();
      sum.add(other.micros);
      return new Summary(
          sum,
          ok + other.ok,
          entries + other.entries,
          mistakes + other.mistakes,
          first - other.first < 0 ? first : other.first,
          last - other.last > 0 ? last : other.last);
    }
  }

  OfThread newThread(Duration interval) {
    OfThread thread = new OfThread(interval.toNanos() / 1000);
    threads.add(thread);
    return thread;
  }

  void crashed(String reason) {
    crashes.add(reason);
  }

  /** By the name of the request. */
  public Map<String, Summary> byName() {
    Map<String, Summary> all = new TreeMap<>();
    threads.forEach(
        thread ->
            thread.byName.forEach(
                (name, samples) -> all.merge(name, samples.summary(), Summary::and)));
    return all;
  }

  /** All requests, whatever their names. */
  public Summary total() {
    return byName().values().stream()
        .reduce(Summary::and)
        .orElseGet(() -> new Summary(new Histogram(DIGITS), 0, 0, 0, 0, 0));
  }

  /** The first mistakes and crashes, as text. */
  public List<String> mistakes() {
    return Stream.concat(
            threads.stream().flatMap(thread -> thread.mistakes.stream()), crashes.stream())
        .limit(MISTAKES_TOLD)
        .toList();
  }

  /** Requests that could not even be made. */
  public int crashes() {
    return crashes.size();
  }

  /** What one event loop records. Event-loop confined. */
  static final class OfThread {
    private final long intervalMicros;
    private final Map<String, Samples> byName = new HashMap<>();
    private final List<String> mistakes = new ArrayList<>();

    private OfThread(long intervalMicros) {
      this.intervalMicros = intervalMicros;
    }

    void record(String name, long begun, long ended, LdapAnswer answer, Optional<String> mistake) {
      Samples samples = byName.computeIfAbsent(name, key -> new Samples(begun));
      samples.last = ended;
      if (mistake.isPresent()) {
        samples.mistakes++;
        if (mistakes.size() < MISTAKES_TOLD) {
          mistakes.add(name + ": " + mistake.get());
        }
      } else {
        samples.ok++;
        samples.entries += answer.entryCount();
        long micros = Math.min(MOST_MICROS, (ended - begun) / 1000);
        samples.micros.recordValueWithExpectedInterval(micros, intervalMicros);
      }
    }
  }

  private static final class Samples {
    private final Histogram micros = new Histogram(MOST_MICROS, DIGITS);
    private final long first;
    private long last;
    private long ok;
    private long entries;
    private long mistakes;

    private Samples(long first) {
      this.first = first;
    }

    private Summary summary() {
      return new Summary(micros, ok, entries, mistakes, first, last);
    }
  }
}

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
import org.jspecify.annotations.Nullable;

/**
 * Latencies in microseconds, by the name of the request: Gatling keeps whole milliseconds, of which
 * an answer from memory takes a tenth. Each event loop writes into histograms of its own; they are
 * read when the run is over. What counts may be bounded by a window: from when all users are there
 * to before the first one ends. Thread-safe.
 */
public final class Latencies {
  private static final long MOST_MICROS = 3_600_000_000L;
  private static final int DIGITS = 3;
  private static final int MISTAKES_TOLD = 5;

  /** When a request must have ended to count, by {@code System.nanoTime}. */
  private record Window(long from, long to) {
    boolean holds(long ended) {
      return ended - from >= 0 && ended - to <= 0;
    }
  }

  private final boolean windowed;
  private final List<OfThread> threads = new CopyOnWriteArrayList<>();
  private final List<String> crashes = new CopyOnWriteArrayList<>();
  private volatile @Nullable Window window;

  private Latencies(boolean windowed) {
    this.windowed = windowed;
  }

  /** All that is recorded counts. */
  public Latencies() {
    this(false);
  }

  /** What is recorded counts as soon as there is a window, if it lies in it. */
  public static Latencies ofAWindow() {
    return new Latencies(true);
  }

  /**
   * What ends from now on counts, but for so much time at the beginning; the first call decides.
   *
   * @param after how much later the window begins
   * @param length how long it is at most
   */
  public synchronized void open(Duration after, Duration length) {
    if (window == null) {
      long from = System.nanoTime() + after.toNanos();
      window = new Window(from, from + length.toNanos());
    }
  }

  /** Nothing counts any more. */
  public synchronized void close() {
    Window open = window;
    long now = System.nanoTime();
    if (open != null && now - open.to < 0) {
      window = new Window(open.from, now);
    }
  }

  private boolean counts(long ended) {
    Window open = window;
    return !windowed || (open != null && open.holds(ended));
  }

  /**
   * What is known of the requests of one name.
   *
   * @param micros of those without a mistake that count
   * @param ok all without a mistake, whether they count or not
   * @param entries in the answers that count
   * @param first when the window began, or the first one was sent, by {@code System.nanoTime}
   * @param last when the window ended, or the last request
   */
  public record Summary(
      Histogram micros, long ok, long entries, long mistakes, long first, long last) {
    /** Requests without a mistake each second of the window. */
    public double rate() {
      return seconds() <= 0 ? 0 : counted() / seconds();
    }

    /** How many the rate is made of. */
    public long counted() {
      return micros.getTotalCount();
    }

    /** Entries each second. */
    public double entryRate() {
      return seconds() <= 0 ? 0 : entries / seconds();
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

  OfThread newThread() {
    OfThread thread = new OfThread();
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
                (name, samples) -> all.merge(name, summary(samples), Summary::and)));
    return all;
  }

  private Summary summary(Samples samples) {
    Window bounds = window;
    return new Summary(
        samples.micros,
        samples.ok,
        samples.entries,
        samples.mistakes,
        bounds == null ? samples.first : bounds.from,
        bounds == null ? samples.last : bounds.to);
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
  final class OfThread {
    private final Map<String, Samples> byName = new HashMap<>();
    private final List<String> mistakes = new ArrayList<>();

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
        if (counts(ended)) {
          samples.entries += answer.entryCount();
          samples.micros.recordValue(Math.min(MOST_MICROS, (ended - begun) / 1000));
        }
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
  }
}

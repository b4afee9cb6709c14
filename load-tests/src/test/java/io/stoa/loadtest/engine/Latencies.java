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
 * Latencies in microseconds, by the name of the request. Gatling records whole milliseconds, while
 * an answer from memory takes about a tenth of one.
 *
 * <p>Each event loop writes into histograms of its own, which are read when the run is over. A
 * window may limit the recorded requests to the time in which all users are active.
 *
 * <p>Threading: thread-safe.
 */
public final class Latencies {
  private static final long MAX_MICROS = 3_600_000_000L;
  private static final int DIGITS = 3;
  private static final int MAX_MISTAKES = 5;

  /** Bounds of the time in which a request must end to count, by {@code System.nanoTime}. */
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

  /** Creates latencies in which every request counts. */
  public Latencies() {
    this(false);
  }

  /** Creates latencies in which only requests that end within a window count. */
  public static Latencies ofAWindow() {
    return new Latencies(true);
  }

  /**
   * Opens the window. Only the first call has an effect.
   *
   * @param after delay of the beginning of the window
   * @param length maximum length of the window
   */
  public synchronized void open(Duration after, Duration length) {
    if (window == null) {
      long from = System.nanoTime() + after.toNanos();
      window = new Window(from, from + length.toNanos());
    }
  }

  /** Closes the window: requests that end from now on do not count. */
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
   * Summary of the requests of one name.
   *
   * @param micros latencies of successful requests that count
   * @param ok number of all successful requests, whether they count or not
   * @param entries number of entries in the answers that count
   * @param mistakes number of failed requests
   * @param first beginning of the window, or of the first request, by {@code System.nanoTime}
   * @param last end of the window, or of the last request
   */
  public record Summary(
      Histogram micros, long ok, long entries, long mistakes, long first, long last) {
    /** Returns the successful requests per second of the window. */
    public double rate() {
      return seconds() <= 0 ? 0 : counted() / seconds();
    }

    /** Returns the number of requests from which the rate is computed. */
    public long counted() {
      return micros.getTotalCount();
    }

    /** Returns the entries per second. */
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

  /** Returns the summaries by the name of the request. */
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

  /** Returns the summary of all requests. */
  public Summary total() {
    return byName().values().stream()
        .reduce(Summary::and)
        .orElseGet(() -> new Summary(new Histogram(DIGITS), 0, 0, 0, 0, 0));
  }

  /** Returns the first mistakes and crashes, as text. */
  public List<String> mistakes() {
    return Stream.concat(
            threads.stream().flatMap(thread -> thread.mistakes.stream()), crashes.stream())
        .limit(MAX_MISTAKES)
        .toList();
  }

  /** Returns the number of requests that could not be built. */
  public int crashes() {
    return crashes.size();
  }

  /** Recorder of one event loop. Threading: event loop. */
  final class OfThread {
    private final Map<String, Samples> byName = new HashMap<>();
    private final List<String> mistakes = new ArrayList<>();

    void record(String name, long begun, long ended, LdapAnswer answer, Optional<String> mistake) {
      Samples samples = byName.computeIfAbsent(name, key -> new Samples(begun));
      samples.last = ended;
      if (mistake.isPresent()) {
        samples.mistakes++;
        if (mistakes.size() < MAX_MISTAKES) {
          mistakes.add(name + ": " + mistake.get());
        }
      } else {
        samples.ok++;
        if (counts(ended)) {
          samples.entries += answer.entryCount();
          samples.micros.recordValue(Math.min(MAX_MICROS, (ended - begun) / 1000));
        }
      }
    }
  }

  private static final class Samples {
    private final Histogram micros = new Histogram(MAX_MICROS, DIGITS);
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

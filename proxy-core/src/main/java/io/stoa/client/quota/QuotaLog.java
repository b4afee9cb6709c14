// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.quota;

import io.stoa.operation.event.QuotaLimit;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs refusals at one limit: a line in 10 seconds names the clients with most of them, and counts
 * those of all others.
 *
 * <p>Threading: thread-safe.
 */
final class QuotaLog {
  private static final Logger LOG = LoggerFactory.getLogger(QuotaLog.class);
  private static final long INTERVAL = TimeUnit.SECONDS.toNanos(10);

  /**
   * Maximum number of clients that are counted between two lines: 1,000. Beyond that, the one
   * without a refusal for the longest time is evicted, so that a client that is refused often
   * stays.
   */
  private static final int MAX_NAMES = 1_000;

  /** Number of clients in a line: 3. */
  private static final int NAMED = 3;

  private final QuotaLimit limit;
  private Refusals refusals = new Refusals();
  private long last = System.nanoTime() - INTERVAL;

  /** The refusals between two lines. Threading: guarded by the lock of the log, until its line. */
  private static final class Refusals {
    private final Map<String, Long> counts =
        new LinkedHashMap<>(16, 0.75f, true) {
          @Override
          protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > MAX_NAMES;
          }
        };
    private long total;

    void add(String name) {
      total++;
      counts.merge(name, 1L, Long::sum);
    }

    /** Returns the names with most refusals, and the number of all others. */
    String text() {
      List<Map.Entry<String, Long>> most =
          counts.entrySet().stream()
              .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
              .limit(NAMED)
              .toList();
      long others = total - most.stream().mapToLong(Map.Entry::getValue).sum();
      String named =
          most.stream()
              .map(one -> one.getKey() + " (" + one.getValue() + ")")
              .collect(Collectors.joining("; "));
      return others == 0 ? named : named + "; others (" + others + ")";
    }
  }

  QuotaLog(QuotaLimit limit) {
    this.limit = limit;
  }

  synchronized void add(String name) {
    refusals.add(name);
  }

  /** Logs the line if there were refusals and the last line is at least 10 seconds old. */
  void report(long now) {
    Refusals due = take(now);
    if (due != null) {
      LOG.warn(
          "{} exceeded by {}: refused or delayed (count={}, stoa_limits_refused_total)",
          limit.key(),
          due.text(),
          due.total);
    }
  }

  private synchronized @Nullable Refusals take(long now) {
    if (refusals.total == 0 || now - last < INTERVAL) {
      return null;
    }
    last = now;
    Refusals due = refusals;
    refusals = new Refusals();
    return due;
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.quota;

import io.stoa.operation.event.QuotaLimit;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs refusals at one limit: a line in 10 seconds names the clients with most of them.
 *
 * <p>Threading: thread-safe.
 */
final class QuotaLog {
  private static final Logger LOG = LoggerFactory.getLogger(QuotaLog.class);
  private static final long INTERVAL = TimeUnit.SECONDS.toNanos(10);

  /** Maximum number of clients that are counted between two lines: 1,000. */
  private static final int MAX_NAMES = 1_000;

  /** Number of clients in a line: 3. */
  private static final int NAMED = 3;

  private final QuotaLimit limit;
  private final Map<String, Long> counts = new HashMap<>();
  private long total;
  private long last = System.nanoTime() - INTERVAL;

  QuotaLog(QuotaLimit limit) {
    this.limit = limit;
  }

  synchronized void add(String name) {
    total++;
    if (counts.size() < MAX_NAMES || counts.containsKey(name)) {
      counts.merge(name, 1L, Long::sum);
    }
  }

  /** Logs the line if there were refusals and the last line is at least 10 seconds old. */
  synchronized void report(long now) {
    if (total == 0 || now - last < INTERVAL) {
      return;
    }
    last = now;
    String names =
        counts.entrySet().stream()
            .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
            .limit(NAMED)
            .map(one -> one.getKey() + " (" + one.getValue() + ")")
            .collect(Collectors.joining("; "));
    LOG.warn(
        "{} exceeded by {}: refused or delayed (count={}, stoa_limits_refused_total)",
        limit.key(),
        names,
        total);
    counts.clear();
    total = 0;
  }
}

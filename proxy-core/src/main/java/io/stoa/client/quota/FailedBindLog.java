// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.quota;

import io.stoa.operation.FailedBindCounters;
import io.stoa.operation.FailedBindCounters.OfNetwork;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs failed binds: once a minute a line for each network that has some. Beyond 10 networks, one
 * line gives the number of the others.
 *
 * <p>Threading: thread-safe.
 */
final class FailedBindLog {
  private static final Logger LOG = LoggerFactory.getLogger(FailedBindLog.class);
  private static final long INTERVAL = TimeUnit.MINUTES.toNanos(1);

  /** Maximum number of networks with a line of their own: 10. */
  private static final int NAMED = 10;

  private final FailedBindCounters failures;
  private final AtomicLong last = new AtomicLong(System.nanoTime() - INTERVAL);

  FailedBindLog(FailedBindCounters failures) {
    this.failures = failures;
  }

  /** Logs the lines if there were failed binds and the last lines are at least a minute old. */
  void report(long now) {
    long before = last.get();
    if (now - before < INTERVAL || !failures.hasUnreported() || !last.compareAndSet(before, now)) {
      return;
    }
    List<OfNetwork> networks = failures.takeUnreported();
    networks.stream().limit(NAMED).forEach(FailedBindLog::log);
    long others =
        failures.takeForgotten() + networks.stream().skip(NAMED).mapToLong(OfNetwork::count).sum();
    if (others > 0) {
      LOG.info("failed binds from other networks (count={})", others);
    }
  }

  private static void log(OfNetwork one) {
    String results =
        one.results().entrySet().stream()
            .map(result -> result.getKey().label() + " " + result.getValue())
            .collect(Collectors.joining(", "));
    LOG.info("failed binds from {} (count={}): {}", one.network(), one.count(), results);
  }
}

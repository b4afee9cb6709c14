// SPDX-License-Identifier: Apache-2.0
package io.stoa.frontend;

import io.stoa.ldap.OpType;
import io.stoa.operation.Rejection;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One log line for each client that Stoa disconnects and each operation that exceeds a limit, at
 * most ten a second: a flood of broken clients must not become a flood of lines. What is not logged
 * is counted in the next line and in the metrics. Thread-safe.
 */
final class RefusalLog {
  private static final Logger LOG = LoggerFactory.getLogger(RefusalLog.class);
  private static final int LINES = 10;
  private static final long WINDOW = TimeUnit.SECONDS.toNanos(1);
  private static final AtomicLong WINDOW_START = new AtomicLong(System.nanoTime());
  private static final AtomicInteger IN_WINDOW = new AtomicInteger();

  private RefusalLog() {}

  static void disconnected(ClientConnection client, String reason, String message) {
    if (mayLog()) {
      LOG.info("client {} disconnected: {}: {}", client.channel().remoteAddress(), reason, message);
    }
  }

  static void refused(ClientConnection client, OpType type, Rejection reason) {
    if (mayLog()) {
      LOG.info("client {}: {} refused: {}", client.channel().remoteAddress(), type, reason);
    }
  }

  /** One line for each client is enough: one that is at its limit is so again and again. */
  static void throttled(ClientConnection client, int timesBefore) {
    if (timesBefore == 0 && mayLog()) {
      LOG.info("client {} is at operationsInFlight", client.channel().remoteAddress());
    }
  }

  private static boolean mayLog() {
    long now = System.nanoTime();
    long start = WINDOW_START.get();
    if (now - start > WINDOW && WINDOW_START.compareAndSet(start, now)) {
      int suppressed = IN_WINDOW.getAndSet(0) - LINES;
      if (suppressed > 0) {
        LOG.info("{} more lines about refused clients and operations were left out", suppressed);
      }
    }
    return IN_WINDOW.incrementAndGet() <= LINES;
  }
}

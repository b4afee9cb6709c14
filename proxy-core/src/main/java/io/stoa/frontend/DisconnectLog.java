// SPDX-License-Identifier: Apache-2.0
package io.stoa.frontend;

import io.stoa.ldap.LdapProtocolException;
import io.stoa.operation.ClientTimeout;
import io.stoa.operation.Rejection;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One log line for each client that Stoa disconnects, at most ten a second: a flood of broken
 * clients must not become a flood of lines. What is not logged is counted in the next line and in
 * the metrics. Thread-safe.
 */
final class DisconnectLog {
  private static final Logger LOG = LoggerFactory.getLogger(DisconnectLog.class);
  private static final int LINES = 10;
  private static final long WINDOW = TimeUnit.SECONDS.toNanos(1);
  private static final AtomicLong WINDOW_START = new AtomicLong(System.nanoTime());
  private static final AtomicInteger IN_WINDOW = new AtomicInteger();

  private DisconnectLog() {}

  static void protocolError(ClientConnection client, LdapProtocolException error) {
    log(client, error.reason().name(), error.reason().text());
  }

  static void refused(ClientConnection client, Rejection reason) {
    log(client, reason.name(), reason.diagnostic());
  }

  static void timedOut(ClientConnection client, ClientTimeout timeout) {
    log(client, timeout.name(), "no progress in time");
  }

  private static void log(ClientConnection client, String reason, String message) {
    long now = System.nanoTime();
    long start = WINDOW_START.get();
    int suppressed = 0;
    if (now - start > WINDOW && WINDOW_START.compareAndSet(start, now)) {
      suppressed = Math.max(0, IN_WINDOW.getAndSet(0) - LINES);
    }
    if (suppressed > 0) {
      LOG.info("{} more clients were disconnected", suppressed);
    }
    if (IN_WINDOW.incrementAndGet() <= LINES) {
      LOG.info("client {} disconnected: {}: {}", client.channel().remoteAddress(), reason, message);
    }
  }
}

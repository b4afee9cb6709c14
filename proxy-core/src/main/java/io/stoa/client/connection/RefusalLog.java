// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.stoa.ldap.protocol.OpType;
import io.stoa.net.transport.LogLimit;
import io.stoa.operation.Rejection;
import org.slf4j.LoggerFactory;

/**
 * Logs a line for each client that Stoa disconnects, and for each operation that exceeds a limit.
 * At most 10 lines a second are logged, since many broken clients must not flood the log. The next
 * line gives the number of suppressed ones; the metrics count all.
 *
 * <p>Threading: thread-safe.
 */
final class RefusalLog {
  private static final LogLimit LOG = new LogLimit(LoggerFactory.getLogger(RefusalLog.class));

  private RefusalLog() {}

  static void logDisconnect(ClientConnection client, String reason, String message) {
    LOG.info("client {} disconnected: {}: {}", client.clientTls().origin(), reason, message);
  }

  static void logRefusal(ClientConnection client, OpType type, Rejection reason) {
    LOG.info("client {}: {} refused: {}", client.clientTls().origin(), type, reason);
  }

  /**
   * Logs a client's first throttling only, since a client at its limit is throttled again and
   * again.
   */
  static void logThrottling(ClientConnection client, int timesBefore) {
    if (timesBefore == 0) {
      LOG.info(
          "client {} throttled: limits.operationsInFlight reached", client.clientTls().origin());
    }
  }
}

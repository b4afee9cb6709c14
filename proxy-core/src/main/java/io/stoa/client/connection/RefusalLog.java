// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.stoa.ldap.protocol.OpType;
import io.stoa.net.transport.LogLimit;
import io.stoa.operation.Rejection;
import org.slf4j.LoggerFactory;

/**
 * One log line for each client that Stoa disconnects and each operation that exceeds a limit, at
 * most ten a second: a flood of broken clients must not become a flood of lines. What is not logged
 * is counted in the next line and in the metrics. Thread-safe.
 */
final class RefusalLog {
  private static final LogLimit LOG = new LogLimit(LoggerFactory.getLogger(RefusalLog.class));

  private RefusalLog() {}

  static void disconnected(ClientConnection client, String reason, String message) {
    LOG.info("client {} disconnected: {}: {}", client.clientTls().origin(), reason, message);
  }

  static void refused(ClientConnection client, OpType type, Rejection reason) {
    LOG.info("client {}: {} refused: {}", client.clientTls().origin(), type, reason);
  }

  /** One line for each client is enough: one that is at its limit is so again and again. */
  static void throttled(ClientConnection client, int timesBefore) {
    if (timesBefore == 0) {
      LOG.info("client {} is at operationsInFlight", client.clientTls().origin());
    }
  }
}

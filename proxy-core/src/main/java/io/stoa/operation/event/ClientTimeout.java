// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.event;

/** For which lack of progress a client is disconnected. */
public enum ClientTimeout {
  /** No operation for {@code idleTimeout}. */
  IDLE,
  /** A request that was begun is not complete after {@code requestTimeout}. */
  REQUEST,
  /** The next step of a SASL bind was not sent for {@code negotiationTimeout}. */
  NEGOTIATION,
  /** Not an octet of a waiting answer was taken for {@code writeTimeout}. */
  WRITE
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.event;

/** The time-out for which a client is disconnected. */
public enum ClientTimeout {
  /** No operation within {@code idleTimeout}. */
  IDLE,
  /** A request that has begun is not complete within {@code requestTimeout}. */
  REQUEST,
  /** The next step of a SASL bind was not sent within {@code negotiationTimeout}. */
  NEGOTIATION,
  /** No octet of a waiting answer was taken within {@code writeTimeout}. */
  WRITE
}

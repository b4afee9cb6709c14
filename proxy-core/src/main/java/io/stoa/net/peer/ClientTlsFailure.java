// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.peer;

/**
 * Reasons why TLS with a client was not established.
 *
 * <p>Threading: immutable.
 */
public enum ClientTlsFailure {
  /** The first octets are not TLS. */
  NOT_TLS,
  /** The handshake timed out. */
  TIMEOUT,
  /**
   * The client closed the connection during the handshake, as port scans and TCP health checks do.
   */
  CLOSED,
  /** One side rejected the other: its version, its ciphers or its certificate. */
  REFUSED
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.peer;

/**
 * Ways in which a client starts TLS.
 *
 * <p>Threading: immutable.
 */
public enum TlsStart {
  /** TLS from the first octet of the connection. */
  LDAPS,
  /** TLS after the StartTLS operation. */
  STARTTLS
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.peer;

/** How a client's TLS began. Immutable. */
public enum TlsStart {
  /** With the first octet of its connection. */
  LDAPS,
  /** With the StartTLS operation. */
  STARTTLS
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.peer;

/** Why a client's TLS did not come about. Immutable. */
public enum ClientTlsFailure {
  /** What came is not TLS. */
  NOT_TLS,
  /** The handshake took too long. */
  TIMEOUT,
  /** The client went away in the middle of it, as those do who only try whether a port is open. */
  CLOSED,
  /** One side refuses the other: its version, its ciphers, its certificate. */
  REFUSED
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.tls;

import io.netty.handler.ssl.ClientAuth;

/**
 * Policy of a TLS server for client certificates.
 *
 * <p>Threading: immutable.
 */
public enum ClientAuthentication {
  /** The server does not request a certificate. */
  NONE(ClientAuth.NONE),
  /**
   * The server requests a certificate. A client may have none, but a certificate that it sends must
   * be valid.
   */
  REQUEST(ClientAuth.OPTIONAL),
  /** The handshake fails for a client without a valid certificate. */
  REQUIRE(ClientAuth.REQUIRE);

  private final ClientAuth mode;

  ClientAuthentication(ClientAuth mode) {
    this.mode = mode;
  }

  ClientAuth mode() {
    return mode;
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.tls;

import io.netty.handler.ssl.ClientAuth;

/** Whether a TLS server asks its clients for a certificate. Immutable. */
public enum ClientAuthentication {
  /** It does not ask. */
  NONE(ClientAuth.NONE),
  /** It asks; a client may have none, but one that is given must be valid. */
  REQUEST(ClientAuth.OPTIONAL),
  /** A client without a valid certificate is refused in the handshake. */
  REQUIRE(ClientAuth.REQUIRE);

  private final ClientAuth mode;

  ClientAuthentication(ClientAuth mode) {
    this.mode = mode;
  }

  ClientAuth mode() {
    return mode;
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.codec;

/**
 * Names of the handlers in a pipeline, in the order in which received octets meet them.
 *
 * <p>Immutable (constants).
 */
public final class HandlerNames {
  /** Netty's decoder of the PROXY protocol; leaves when it has read the header. */
  public static final String PROXY_HEADER = "proxyHeader";

  /** Netty's {@code SslHandler}. */
  public static final String TLS = "tls";

  /** {@link LdapFrameDecoder}. */
  public static final String FRAME_DECODER = "frameDecoder";

  /** {@link OctetRelay}, in the place of the frame decoder. */
  public static final String RELAY = "relay";

  /** What becomes of a client connection when its TLS begins, fails or ends. */
  public static final String CLIENT_TLS = "clientTls";

  /** The owner of the connection: client or upstream. */
  public static final String CONNECTION = "connection";

  private HandlerNames() {}
}

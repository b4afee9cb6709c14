// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.codec;

/**
 * Names of the handlers in a pipeline, in the order in which received octets pass them.
 *
 * <p>Threading: immutable.
 */
public final class HandlerNames {
  /** The decoder of the PROXY protocol. Removed from the pipeline when the header has been read. */
  public static final String PROXY_HEADER = "proxyHeader";

  /** Netty's {@code SslHandler}. */
  public static final String TLS = "tls";

  /** {@link LdapFrameDecoder}. */
  public static final String FRAME_DECODER = "frameDecoder";

  /** {@link OctetRelay}, in the place of the frame decoder. */
  public static final String RELAY = "relay";

  /** The handler of a client connection for the start, failure and end of its TLS. */
  public static final String CLIENT_TLS = "clientTls";

  /** The owner of the connection: client or upstream. */
  public static final String CONNECTION = "connection";

  private HandlerNames() {}
}

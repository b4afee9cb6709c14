// SPDX-License-Identifier: Apache-2.0
package io.stoa.codec;

/**
 * Names of the handlers in a pipeline, in the order in which received octets meet them.
 *
 * <p>Immutable (constants).
 */
public final class HandlerNames {
  /** {@link LdapFrameDecoder}. */
  public static final String FRAME_DECODER = "frameDecoder";

  /** The owner of the connection: client or upstream. */
  public static final String CONNECTION = "connection";

  private HandlerNames() {}
}

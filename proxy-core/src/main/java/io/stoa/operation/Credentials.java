// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.stoa.ldap.LdapMessage;
import org.jspecify.annotations.Nullable;

/**
 * The bind request of a client that is connected, to bind as it on another upstream connection. The
 * octets lie outside the heap and are zeroed on release. Event-loop confined.
 */
public final class Credentials {
  private final boolean byTls;
  private @Nullable ByteBuf bindRequest;

  private Credentials(ByteBuf bindRequest, boolean byTls) {
    this.bindRequest = bindRequest;
    this.byTls = byTls;
  }

  /**
   * Copies protocolOp and controls of a bind request.
   *
   * @param byTls whether the client sent it by TLS
   */
  public static Credentials of(LdapMessage bindRequest, boolean byTls) {
    ByteBuf body = bindRequest.body();
    ByteBuf own = Unpooled.directBuffer(body.readableBytes(), body.readableBytes());
    own.writeBytes(body, body.readerIndex(), body.readableBytes());
    return new Credentials(own, byTls);
  }

  /**
   * The bind request without its envelope. Not to be kept.
   *
   * @param exposed whether others might read it where it is to be sent
   * @return null once it is released, and if the client protected it and it would be exposed
   */
  public @Nullable ByteBuf bindRequest(boolean exposed) {
    return byTls && exposed ? null : bindRequest;
  }

  /** Whether the client sent it by TLS, and may expect it to be protected on its further way. */
  public boolean byTls() {
    return byTls;
  }

  /** Zeroes the octets. */
  public void release() {
    ByteBuf octets = bindRequest;
    if (octets != null) {
      bindRequest = null;
      octets.setZero(0, octets.capacity());
      octets.release();
    }
  }

  @Override
  public String toString() {
    return "credentials";
  }
}

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
  private @Nullable ByteBuf bindRequest;

  private Credentials(ByteBuf bindRequest) {
    this.bindRequest = bindRequest;
  }

  /** Copies protocolOp and controls of a bind request. */
  public static Credentials of(LdapMessage bindRequest) {
    ByteBuf body = bindRequest.body();
    ByteBuf own = Unpooled.directBuffer(body.readableBytes(), body.readableBytes());
    own.writeBytes(body, body.readerIndex(), body.readableBytes());
    return new Credentials(own);
  }

  /** The bind request without its envelope; null once released. Not to be kept. */
  public @Nullable ByteBuf bindRequest() {
    return bindRequest;
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

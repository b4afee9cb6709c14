// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connect;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.stoa.ldap.protocol.LdapProtocolException;
import java.io.IOException;

/**
 * The end of a pipeline until its connection is made. The system may call a socket readable that is
 * not connected yet, and Netty then fires an exception; whether the connection is made is told by
 * its future, and by nothing else. Event-loop confined.
 */
final class Connecting extends ChannelInboundHandlerAdapter {
  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    // neither the end of the attempt nor worth a word
  }

  /** The cause, as a mistake of the server if it has sent what is no LDAP. */
  static Throwable ofServer(Throwable cause) {
    return cause instanceof LdapProtocolException
        ? new IOException("it sent something that is no LDAP", cause)
        : cause;
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connect;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.net.transport.DescribedException;

/**
 * The end of a pipeline until its connection is made. The kernel may report a socket as readable
 * before it is connected, and Netty then fires an exception. Only the connect future counts, so
 * exceptions are ignored here.
 *
 * <p>Threading: event loop.
 */
final class ConnectPhaseHandler extends ChannelInboundHandlerAdapter {
  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    // the connect future reports the failure
  }

  /** Returns the cause; as a fault of the server if it has sent something that is not LDAP. */
  static Throwable asServerFault(Throwable cause) {
    return cause instanceof LdapProtocolException
        ? new DescribedException("server sent data that is not LDAP; check the port", cause)
        : cause;
  }
}

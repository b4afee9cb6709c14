// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.proxyprotocol;

import io.netty.channel.Channel;
import io.netty.handler.codec.haproxy.HAProxyCommand;
import io.netty.handler.codec.haproxy.HAProxyMessage;
import io.netty.handler.codec.haproxy.HAProxyMessageEncoder;
import io.netty.handler.codec.haproxy.HAProxyProtocolVersion;
import io.netty.handler.codec.haproxy.HAProxyProxiedProtocol;
import io.netty.util.NetUtil;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Writes the header of the PROXY protocol, version 2. The header begins a connection to a server
 * that expects the client's address.
 *
 * <p>Threading: stateless.
 */
public final class ProxyHeaderEncoder {
  private ProxyHeaderEncoder() {}

  /**
   * Writes a header that names the client as the source and the server as the destination, or
   * declares the connection as Stoa's own ({@code LOCAL}). The caller flushes.
   *
   * @param channel a new connection, to which nothing has been written
   * @param client null if the connection does not belong to a single client
   */
  public static void write(
      Channel channel, @Nullable InetSocketAddress client, InetSocketAddress server) {
    channel.pipeline().addFirst(HAProxyMessageEncoder.INSTANCE);
    channel.write(message(client, server), channel.voidPromise());
    channel.pipeline().remove(HAProxyMessageEncoder.INSTANCE);
  }

  private static HAProxyMessage message(
      @Nullable InetSocketAddress client, InetSocketAddress server) {
    if (client == null) {
      return new HAProxyMessage(
          HAProxyProtocolVersion.V2,
          HAProxyCommand.LOCAL,
          HAProxyProxiedProtocol.UNKNOWN,
          null,
          null,
          0,
          0);
    }
    boolean small = isSmall(client.getAddress()) && isSmall(server.getAddress());
    return new HAProxyMessage(
        HAProxyProtocolVersion.V2,
        HAProxyCommand.PROXY,
        small ? HAProxyProxiedProtocol.TCP4 : HAProxyProxiedProtocol.TCP6,
        text(client.getAddress(), small),
        text(server.getAddress(), small),
        client.getPort(),
        server.getPort());
  }

  private static boolean isSmall(InetAddress address) {
    return address instanceof Inet4Address;
  }

  /**
   * Returns the text of an address. Both addresses of a header are of one family: IPv4 beside IPv6
   * is mapped (RFC 4291).
   */
  private static String text(InetAddress address, boolean small) {
    String text = NetUtil.toAddressString(address);
    return small || !isSmall(address) ? text : "::ffff:" + text;
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.proxyprotocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The first octets of a connection to a server that wants to know whose it is: the PROXY protocol,
 * version 2, as HAProxy describes it. Stateless.
 */
public final class ProxyHeaderEncoder {
  private static final byte[] SIGNATURE = HexFormat.of().parseHex("0d0a0d0a000d0a515549540a");
  private static final byte[] MAPPED = HexFormat.of().parseHex("00000000000000000000ffff");
  private static final int LOCAL = 0x20;
  private static final int PROXIED = 0x21;
  private static final int TCP4 = 0x11;
  private static final int TCP6 = 0x21;
  private static final int UNSPECIFIED = 0;
  private static final int PORTS = 4;

  private ProxyHeaderEncoder() {}

  /**
   * Says that the connection is a client's, as if it had come from there to the server; or that it
   * is Stoa's own.
   *
   * @param client null if no single client is behind the connection
   */
  public static ByteBuf encode(
      ByteBufAllocator allocator, @Nullable InetSocketAddress client, InetSocketAddress server) {
    ByteBuf header = allocator.directBuffer().writeBytes(SIGNATURE);
    if (client == null) {
      return header.writeByte(LOCAL).writeByte(UNSPECIFIED).writeShort(0);
    }
    boolean small = isSmall(client.getAddress()) && isSmall(server.getAddress());
    byte[] from = octets(client.getAddress(), small);
    byte[] to = octets(server.getAddress(), small);
    header.writeByte(PROXIED).writeByte(small ? TCP4 : TCP6);
    header.writeShort(from.length + to.length + PORTS).writeBytes(from).writeBytes(to);
    return header.writeShort(client.getPort()).writeShort(server.getPort());
  }

  private static boolean isSmall(InetAddress address) {
    return address instanceof Inet4Address;
  }

  /** Both addresses are of one family: a small one among large ones is mapped (RFC 4291). */
  private static byte[] octets(InetAddress address, boolean small) {
    byte[] own = address.getAddress();
    if (small || !isSmall(address)) {
      return own;
    }
    byte[] mapped = Arrays.copyOf(MAPPED, MAPPED.length + own.length);
    System.arraycopy(own, 0, mapped, MAPPED.length, own.length);
    return mapped;
  }
}

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
 * Writes the header of the PROXY protocol, version 2. The header begins a connection to a server
 * that expects the client's address.
 *
 * <p>Threading: stateless.
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
   * Encodes a header that names the client as the source and the server as the destination, or
   * declares the connection as Stoa's own ({@code LOCAL}).
   *
   * @param client null if the connection does not belong to a single client
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

  /**
   * Returns the octets of an address. Both addresses of a header are of one family: IPv4 beside
   * IPv6 is mapped (RFC 4291).
   */
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

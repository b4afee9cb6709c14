// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.peer;

import java.net.InetAddress;
import java.nio.ByteBuffer;

/**
 * The network that counts as one client for limits: the /24 of an IPv4 address, the /64 of an IPv6
 * address. All local sockets of one user form a network, too.
 *
 * <p>Threading: immutable.
 *
 * @param kind octets of an address (4 or 16); 0 for local sockets
 * @param bits the leading bits of the address; for local sockets the user ID, or -1 if it is
 *     unknown
 */
public record ClientNetwork(int kind, long bits) {
  private static final int IPV4_OCTETS = 4;
  private static final int IPV4_HOST_BITS = 8;

  /** Returns the network of a client. */
  public static ClientNetwork of(Peer peer) {
    InetAddress address = peer.address();
    if (address == null) {
      LocalUser user = peer.user();
      return new ClientNetwork(0, user == null ? -1 : user.uid());
    }
    byte[] octets = address.getAddress();
    long bits =
        octets.length == IPV4_OCTETS
            ? ByteBuffer.wrap(octets).getInt() >>> IPV4_HOST_BITS
            : ByteBuffer.wrap(octets).getLong();
    return new ClientNetwork(octets.length, bits);
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.peer;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;

/**
 * An IP network against which addresses are tested.
 *
 * <p>Threading: immutable.
 *
 * @param address an address in the network
 * @param prefixLength number of leading bits that all addresses of the network share
 */
public record Network(InetAddress address, int prefixLength) {
  private static final String OCTET = "(25[0-5]|2[0-4]\\d|1?\\d?\\d)";
  private static final Pattern IPV4 = Pattern.compile("(" + OCTET + "\\.){3}" + OCTET);

  /**
   * Parses {@code ADDRESS/PREFIX}, or a single address.
   *
   * @throws IllegalArgumentException if the text has another form
   */
  public static Network parse(String text) {
    int slash = text.indexOf('/');
    String host = slash < 0 ? text : text.substring(0, slash);
    if (!isNumericAddress(host)) {
      throw new IllegalArgumentException("'" + text + "' is not an IP network such as 10.0.0.0/8");
    }
    try {
      InetAddress address = InetAddress.getByName(host);
      int bits = address.getAddress().length * 8;
      int prefix = slash < 0 ? bits : Integer.parseInt(text.substring(slash + 1));
      if (prefix < 0 || prefix > bits) {
        throw new IllegalArgumentException(
            "'" + text + "': prefix length must be between 0 and " + bits);
      }
      return new Network(address, prefix);
    } catch (UnknownHostException | NumberFormatException e) {
      throw new IllegalArgumentException("'" + text + "' is not an IP network", e);
    }
  }

  /**
   * True if the text has the form of an IP address. Other text must not reach {@link
   * InetAddress#getByName}, which would query DNS.
   */
  private static boolean isNumericAddress(String host) {
    return IPV4.matcher(host).matches() || host.indexOf(':') >= 0;
  }

  /** True if the network contains every address of its family. */
  public boolean isEverywhere() {
    return prefixLength == 0;
  }

  /** True if the address is in the network. */
  public boolean contains(InetAddress candidate) {
    byte[] mine = address.getAddress();
    byte[] theirs = candidate.getAddress();
    if (mine.length != theirs.length) {
      return false;
    }
    for (int bit = 0; bit < prefixLength; bit++) {
      int mask = 0x80 >> (bit & 7);
      if ((mine[bit >> 3] & mask) != (theirs[bit >> 3] & mask)) {
        return false;
      }
    }
    return true;
  }
}

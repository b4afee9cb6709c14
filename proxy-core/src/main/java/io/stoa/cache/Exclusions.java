// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What is never answered from the caches nor stored in them. Immutable.
 *
 * @param subtrees DNs: searches whose scope can reach one of these subtrees
 * @param identities bind DNs of clients; the empty string names anonymous clients
 * @param filterAttributes attributes: searches whose filter names one of them
 * @param clientNetworks networks of clients, as {@code 10.0.0.0/8} or {@code fd00::/8}
 */
public record Exclusions(
    List<String> subtrees,
    List<String> identities,
    List<String> filterAttributes,
    List<String> clientNetworks) {

  /** Nothing is excluded. */
  public static final Exclusions NONE = new Exclusions(List.of(), List.of(), List.of(), List.of());

  public Exclusions {
    subtrees = List.copyOf(subtrees);
    identities = List.copyOf(identities);
    filterAttributes = List.copyOf(filterAttributes);
    clientNetworks = List.copyOf(clientNetworks);
    clientNetworks.forEach(Network::parse);
  }

  /** An IP network, as a client's address is tested against it. Immutable. */
  record Network(InetAddress address, int prefixLength) {
    private static final String OCTET = "(25[0-5]|2[0-4]\\d|1?\\d?\\d)";
    private static final Pattern IPV4 = Pattern.compile("(" + OCTET + "\\.){3}" + OCTET);

    /**
     * Reads {@code ADDRESS/PREFIX}, or one address.
     *
     * @throws IllegalArgumentException if the text has another form
     */
    static Network parse(String text) {
      int slash = text.indexOf('/');
      String host = slash < 0 ? text : text.substring(0, slash);
      if (!isNumericAddress(host)) {
        throw new IllegalArgumentException(
            "'" + text + "' is not an IP network such as 10.0.0.0/8");
      }
      try {
        InetAddress address = InetAddress.getByName(host);
        int bits = address.getAddress().length * 8;
        int prefix = slash < 0 ? bits : Integer.parseInt(text.substring(slash + 1));
        if (prefix < 0 || prefix > bits) {
          throw new IllegalArgumentException("'" + text + "': prefix is not within 0 and " + bits);
        }
        return new Network(address, prefix);
      } catch (UnknownHostException | NumberFormatException e) {
        throw new IllegalArgumentException("'" + text + "' is not an IP network", e);
      }
    }

    /** Never asks the name service: only what looks like an address is parsed. */
    private static boolean isNumericAddress(String host) {
      return IPV4.matcher(host).matches() || host.indexOf(':') >= 0;
    }

    boolean contains(InetAddress candidate) {
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
}

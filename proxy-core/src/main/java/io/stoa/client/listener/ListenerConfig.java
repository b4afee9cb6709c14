// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.listener;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * An address on which clients are accepted.
 *
 * <p>Threading: immutable.
 *
 * @param kind the protocol
 * @param host address or host name to bind; for {@link Protocol#LDAPI} the absolute path of the
 *     socket
 * @param port TCP port; 0 lets the system choose a free one
 */
public record ListenerConfig(Protocol kind, String host, int port) {
  /**
   * Maximum octets of a socket's path: 107. {@code sun_path} of unix(7) has 108 octets, including a
   * final 0.
   */
  private static final int MAX_PATH = 107;

  private static final String FORMS =
      "ADDRESS:PORT, ldaps://ADDRESS:PORT, ldapi://%2FPATH or passthrough://ADDRESS:PORT";

  /** Protocols of a listener. */
  public enum Protocol {
    /** LDAP over TCP. StartTLS is offered if a certificate is configured. */
    LDAP,
    /** LDAP inside TLS from the first octet. */
    LDAPS,
    /** LDAP over a Unix socket. */
    LDAPI,
    /** TLS that ends at the directory server; its octets are passed through unread. */
    PASSTHROUGH;

    private String prefix() {
      return name().toLowerCase(Locale.ROOT) + "://";
    }
  }

  public ListenerConfig {
    if (host.isBlank()) {
      throw new IllegalArgumentException("a listener needs an address, such as 127.0.0.1:389");
    }
    if (host.equals("*")) {
      throw new IllegalArgumentException(
          "'*' is not an address: use 0.0.0.0 for all IPv4 addresses, or [::] for "
              + "IPv4 and IPv6");
    }
    if (kind == Protocol.LDAPI) {
      checkPath(host);
    }
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("port " + port + " must be between 0 and 65535");
    }
  }

  /** Creates a listener for LDAP over TCP. */
  public ListenerConfig(String host, int port) {
    this(Protocol.LDAP, host, port);
  }

  /** True if the listener is a TCP port. */
  public boolean isTcp() {
    return kind != Protocol.LDAPI;
  }

  /**
   * Parses {@code HOST:PORT}, {@code [IPv6]:PORT} or {@code :PORT} (all addresses), with an
   * optional prefix {@code ldaps://} or {@code passthrough://}. Parses also {@code ldapi://} with a
   * path, in which each slash is written as {@code %2F}.
   *
   * @throws IllegalArgumentException if the text has another form
   */
  public static ListenerConfig parse(String text) {
    for (Protocol kind : Protocol.values()) {
      if (text.toLowerCase(Locale.ROOT).startsWith(kind.prefix())) {
        String rest = text.substring(kind.prefix().length());
        return kind == Protocol.LDAPI ? socket(rest, text) : address(kind, rest, text);
      }
    }
    return address(Protocol.LDAP, text, text);
  }

  private static ListenerConfig socket(String path, String text) {
    String decoded;
    try {
      decoded = URLDecoder.decode(path.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw malformed(text);
    }
    return new ListenerConfig(Protocol.LDAPI, decoded, 0);
  }

  private static ListenerConfig address(Protocol kind, String address, String text) {
    int colon = address.lastIndexOf(':');
    if (colon < 0 || address.indexOf('/') >= 0) {
      throw malformed(text);
    }
    String host = address.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    }
    try {
      int port = Integer.parseInt(address.substring(colon + 1));
      return new ListenerConfig(kind, host.isEmpty() ? "0.0.0.0" : host, port);
    } catch (NumberFormatException e) {
      throw malformed(text);
    }
  }

  private static IllegalArgumentException malformed(String text) {
    String form = text.contains("://") ? FORMS : "ADDRESS:PORT";
    return new IllegalArgumentException("'" + text + "' is not " + form);
  }

  private static void checkPath(String path) {
    if (path.charAt(0) != '/') {
      throw new IllegalArgumentException(
          "'" + path + "' is not the absolute path of a socket; example: ldapi://%2Frun%2Fldapi");
    }
    if (path.getBytes(StandardCharsets.UTF_8).length > MAX_PATH) {
      throw new IllegalArgumentException(
          "'"
              + path
              + "' is longer than the maximum of "
              + MAX_PATH
              + " bytes for the path of a socket");
    }
  }

  /** Returns a copy with the port that the system has chosen. */
  public ListenerConfig at(int chosen) {
    return new ListenerConfig(kind, host, chosen);
  }

  /** Returns the form that {@link #parse} reads. */
  @Override
  public String toString() {
    if (kind == Protocol.LDAPI) {
      return kind.prefix() + URLEncoder.encode(host, StandardCharsets.UTF_8).replace("+", "%20");
    }
    String address = (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    return kind == Protocol.LDAP ? address : kind.prefix() + address;
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.client;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Address of a Stoa.
 *
 * <p>Threading: immutable.
 *
 * @param host host name or address; for {@link Scheme#LDAPI} the path of the socket
 * @param port TCP port; 0 for {@link Scheme#LDAPI}
 */
public record Endpoint(Scheme scheme, String host, int port) {
  /** Default socket, as in all examples of the documentation. */
  public static final String DEFAULT_PATH = "/run/stoa/ldapi";

  private static final String FORM = "ldap://HOST:PORT, ldaps://HOST:PORT or ldapi://%2FPATH";
  private static final int LAST_PORT = 65_535;

  /** Transports. */
  public enum Scheme {
    /** LDAP over TCP; StartTLS can protect it. */
    LDAP(389),
    /** LDAP inside TLS. */
    LDAPS(636),
    /** LDAP over a local socket. */
    LDAPI(0);

    private final int port;

    Scheme(int port) {
      this.port = port;
    }
  }

  /**
   * Parses an LDAP URL without a DN, such as {@code ldapi://%2Frun%2Fstoa%2Fldapi}; {@code
   * ldapi://} alone is the default socket.
   *
   * @throws IllegalArgumentException if the text has another form
   */
  public static Endpoint parse(String url) {
    int end = url.indexOf("://");
    Scheme scheme = scheme(url, end < 0 ? "" : url.substring(0, end));
    String rest = url.substring(end + 3);
    return scheme == Scheme.LDAPI ? local(rest) : network(url, scheme);
  }

  private static Scheme scheme(String url, String name) {
    for (Scheme scheme : Scheme.values()) {
      if (scheme.name().equalsIgnoreCase(name)) {
        return scheme;
      }
    }
    throw malformed(url);
  }

  private static Endpoint local(String rest) {
    String path = URLDecoder.decode(rest.replace("+", "%2B"), StandardCharsets.UTF_8);
    String file =
        path.length() > 1 && path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    return new Endpoint(Scheme.LDAPI, file.length() < 2 ? DEFAULT_PATH : file, 0);
  }

  private static Endpoint network(String url, Scheme scheme) {
    try {
      URI uri = new URI(url);
      boolean bare = uri.getRawPath().length() <= 1 && uri.getRawQuery() == null;
      if (uri.getHost() == null || !bare || uri.getRawUserInfo() != null) {
        throw malformed(url);
      }
      int port = uri.getPort() < 0 ? scheme.port : uri.getPort();
      if (port < 1 || port > LAST_PORT) {
        throw malformed(url);
      }
      return new Endpoint(scheme, uri.getHost().replaceAll("[\\[\\]]", ""), port);
    } catch (URISyntaxException e) {
      throw malformed(url);
    }
  }

  private static IllegalArgumentException malformed(String url) {
    return new IllegalArgumentException("'" + url + "' must have the form " + FORM);
  }

  /** True if the traffic does not leave this machine. */
  public boolean isOnThisMachine() {
    return scheme == Scheme.LDAPI
        || host.equals("localhost")
        || host.equals("::1")
        || host.matches("127(\\.\\d{1,3}){3}");
  }

  @Override
  public String toString() {
    String name = scheme.name().toLowerCase(Locale.ROOT) + "://";
    if (scheme == Scheme.LDAPI) {
      return name + host;
    }
    return name + (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
  }
}

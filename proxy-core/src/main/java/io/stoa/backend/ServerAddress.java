// SPDX-License-Identifier: Apache-2.0
package io.stoa.backend;

import java.net.URI;
import java.net.URISyntaxException;

/**
 * Where a directory server listens. Immutable.
 *
 * @param host host name or address
 * @param port TCP port
 */
public record ServerAddress(String host, int port) {
  private static final int LDAP_PORT = 389;

  public ServerAddress {
    if (host.isBlank()) {
      throw new IllegalArgumentException("an upstream needs a host");
    }
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException("port " + port + " is not within 1 and 65535");
    }
  }

  /**
   * Reads an LDAP URL without a DN: {@code ldap://HOST[:PORT]}.
   *
   * @throws IllegalArgumentException if the text is something else
   */
  public static ServerAddress parse(String url) {
    URI uri = uri(url);
    if (!"ldap".equalsIgnoreCase(uri.getScheme()) || uri.getHost() == null) {
      throw new IllegalArgumentException("'" + url + "' is not of the form ldap://HOST:PORT");
    }
    if (uri.getPath() != null && uri.getPath().length() > 1) {
      throw new IllegalArgumentException("'" + url + "' names more than a server");
    }
    String host = uri.getHost().replaceAll("[\\[\\]]", "");
    return new ServerAddress(host, uri.getPort() < 0 ? LDAP_PORT : uri.getPort());
  }

  private static URI uri(String url) {
    try {
      return new URI(url);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("'" + url + "' is not an LDAP URL", e);
    }
  }

  @Override
  public String toString() {
    return "ldap://" + (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Address of a directory server.
 *
 * <p>Threading: immutable.
 *
 * @param scheme transport
 * @param host host name or address; for {@link Scheme#LDAPI} the absolute path of the socket
 * @param port TCP port; 0 for {@link Scheme#LDAPI} and for a domain whose servers DNS names
 */
public record ServerAddress(Scheme scheme, String host, int port) {
  /** Longest path of a socket: 107. {@code sun_path} of unix(7) has 108 octets with the final 0. */
  private static final int MAX_PATH = 107;

  private static final String BY_DNS = "+srv";
  private static final int DOMAIN = 0;
  private static final Pattern DOMAIN_NAME =
      Pattern.compile("[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*\\.?");

  private static final Pattern LOOPBACK = Pattern.compile("localhost|127(\\.\\d{1,3}){3}|::1");

  public ServerAddress {
    if (host.isBlank()) {
      throw new IllegalArgumentException("upstream address has no host");
    }
    if (scheme == Scheme.LDAPI) {
      checkPath(host);
    } else if (port < DOMAIN || port > 65_535) {
      throw new IllegalArgumentException("port " + port + " is not between 1 and 65535");
    }
  }

  /** Returns the address of a domain whose servers DNS names (RFC 2782). */
  public static ServerAddress ofDomain(Scheme scheme, String domain) {
    return new ServerAddress(scheme, domain, DOMAIN);
  }

  /** Creates the address of a server that accepts plain LDAP. */
  public ServerAddress(String host, int port) {
    this(Scheme.LDAP, host, port);
  }

  /** Transport of a server. */
  public enum Scheme {
    /** LDAP over TCP; StartTLS can protect it. */
    LDAP("ldap", 389),
    /** LDAP inside TLS from the first octet. */
    LDAPS("ldaps", 636),
    /** LDAP over a Unix domain socket. */
    LDAPI("ldapi", 0);

    private final String prefix;
    private final int port;

    Scheme(String prefix, int port) {
      this.prefix = prefix;
      this.port = port;
    }

    private static @Nullable Scheme of(@Nullable String name) {
      for (Scheme scheme : values()) {
        if (scheme.prefix.equalsIgnoreCase(name)) {
          return scheme;
        }
      }
      return null;
    }
  }

  /** True if the address is a domain whose servers DNS names. */
  public boolean isDomain() {
    return scheme != Scheme.LDAPI && port == DOMAIN;
  }

  /** Returns the name of the service records of the domain (RFC 2782). */
  public String serviceName() {
    return "_" + scheme.prefix + "._tcp." + host;
  }

  /**
   * Parses an LDAP URL without a DN. Accepted forms:
   *
   * <ul>
   *   <li>{@code ldap://HOST[:PORT]} and {@code ldaps://HOST[:PORT]}
   *   <li>{@code ldap+srv://DOMAIN} and {@code ldaps+srv://DOMAIN}: the servers that DNS names
   *   <li>{@code ldapi://%2FPATH}, with each slash of the path as {@code %2F}, and {@code
   *       ldapi:///PATH}
   * </ul>
   *
   * @throws IllegalArgumentException if the text has another form
   */
  public static ServerAddress parse(String url) {
    URI uri = uri(url);
    String name = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
    if (name.endsWith(BY_DNS)) {
      return domain(url, uri, Scheme.of(name.substring(0, name.length() - BY_DNS.length())));
    }
    Scheme scheme = Scheme.of(name);
    if (scheme == Scheme.LDAPI) {
      return new ServerAddress(scheme, path(url, uri), 0);
    }
    if (scheme == null || uri.getHost() == null) {
      throw new IllegalArgumentException(malformed(url));
    }
    if (!bare(uri) || uri.getPath().length() > 1) {
      throw new IllegalArgumentException("'" + url + "' must not contain a DN, a query or a user");
    }
    String host = uri.getHost().replaceAll("[\\[\\]]", "");
    int port = uri.getPort() < 0 ? scheme.port : uri.getPort();
    if (port == DOMAIN) {
      throw new IllegalArgumentException("port 0 is not between 1 and 65535");
    }
    return new ServerAddress(scheme, host, port);
  }

  private static ServerAddress domain(String url, URI uri, @Nullable Scheme scheme) {
    String domain = uri.getAuthority() == null ? "" : uri.getAuthority();
    boolean alone = bare(uri) && uri.getPath().isEmpty() && DOMAIN_NAME.matcher(domain).matches();
    if (scheme == null || scheme == Scheme.LDAPI || !alone) {
      throw new IllegalArgumentException(
          "'" + url + "' is not of the form ldap+srv://DOMAIN or ldaps+srv://DOMAIN");
    }
    return ofDomain(scheme, domain);
  }

  private static URI uri(String url) {
    try {
      return new URI(url);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(malformed(url), e);
    }
  }

  private static String malformed(String url) {
    return "'"
        + url
        + "' is not of the form ldap://HOST:PORT, ldaps://HOST:PORT or ldapi://%2FPATH";
  }

  private static boolean bare(URI uri) {
    return uri.getQuery() == null && uri.getFragment() == null && uri.getUserInfo() == null;
  }

  private static String path(String url, URI uri) {
    String authority = uri.getAuthority() == null ? "" : uri.getAuthority();
    String path = uri.getPath() == null ? "" : uri.getPath();
    boolean trailing = path.isEmpty() || path.equals("/");
    if (!bare(uri) || authority.isEmpty() == trailing) {
      throw new IllegalArgumentException(
          "'"
              + url
              + "' has no socket path: use ldapi://%2FPATH, with each / of the path written "
              + "as %2F");
    }
    return authority.isEmpty() ? path : authority;
  }

  private static void checkPath(String path) {
    if (path.charAt(0) != '/') {
      throw new IllegalArgumentException("'" + path + "' is not an absolute socket path");
    }
    if (path.getBytes(StandardCharsets.UTF_8).length > MAX_PATH) {
      throw new IllegalArgumentException(
          "'" + path + "' is longer than the " + MAX_PATH + " bytes allowed for a socket path");
    }
  }

  /** True if requests to the server never leave this machine. */
  public boolean isLocal() {
    return scheme == Scheme.LDAPI || isLoopback(host);
  }

  /** True if a host name or address means this machine. */
  public static boolean isLoopback(String host) {
    return LOOPBACK.matcher(host.toLowerCase(Locale.ROOT)).matches();
  }

  /** Returns the URL, as {@link #parse} reads it. */
  @Override
  public String toString() {
    if (scheme == Scheme.LDAPI) {
      String name = URLEncoder.encode(host, StandardCharsets.UTF_8).replace("+", "%20");
      return scheme.prefix + "://" + name;
    }
    if (isDomain()) {
      return scheme.prefix + BY_DNS + "://" + host;
    }
    return scheme.prefix + "://" + (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
  }
}

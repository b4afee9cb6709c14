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
 * Where a directory server listens. Immutable.
 *
 * @param scheme how it is spoken to
 * @param host host name or address; for {@link Scheme#LDAPI} the absolute path of the socket
 * @param port TCP port; 0 for {@link Scheme#LDAPI}, and for a domain of which DNS names the servers
 */
public record ServerAddress(Scheme scheme, String host, int port) {
  /** {@code sun_path} of unix(7) has 108 octets, the last of which is 0. */
  private static final int LONGEST_PATH = 107;

  private static final String BY_DNS = "+srv";
  private static final int DOMAIN = 0;
  private static final Pattern DOMAIN_NAME =
      Pattern.compile("[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*\\.?");

  private static final Pattern LOOPBACK = Pattern.compile("localhost|127(\\.\\d{1,3}){3}|::1");

  public ServerAddress {
    if (host.isBlank()) {
      throw new IllegalArgumentException("an upstream needs a host");
    }
    if (scheme == Scheme.LDAPI) {
      checkPath(host);
    } else if (port < DOMAIN || port > 65_535) {
      throw new IllegalArgumentException("port " + port + " is not within 1 and 65535");
    }
  }

  /** The servers of a domain (RFC 2782). */
  public static ServerAddress ofDomain(Scheme scheme, String domain) {
    return new ServerAddress(scheme, domain, DOMAIN);
  }

  /** A server that listens for plain LDAP. */
  public ServerAddress(String host, int port) {
    this(Scheme.LDAP, host, port);
  }

  /** How a server is spoken to. */
  public enum Scheme {
    /** LDAP over TCP; StartTLS can protect it. */
    LDAP(389),
    /** LDAP inside TLS from the first octet. */
    LDAPS(636),
    /** LDAP over a socket of the file system. */
    LDAPI(0);

    private final int port;

    Scheme(int port) {
      this.port = port;
    }

    private static @Nullable Scheme of(@Nullable String name) {
      for (Scheme scheme : values()) {
        if (scheme.prefix().equalsIgnoreCase(name)) {
          return scheme;
        }
      }
      return null;
    }

    private String prefix() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Whether it stands for the servers that DNS names for a domain. */
  public boolean isDomain() {
    return scheme != Scheme.LDAPI && port == DOMAIN;
  }

  /** The name under which DNS has the service records of the domain (RFC 2782). */
  public String serviceName() {
    return "_" + scheme.prefix() + "._tcp." + host;
  }

  /**
   * Reads an LDAP URL without a DN: {@code ldap+srv://DOMAIN} or {@code ldaps+srv://DOMAIN} for the
   * servers that DNS names for a domain, {@code ldap://HOST[:PORT]}, {@code ldaps://HOST[:PORT]},
   * {@code ldapi://%2FPATH} with the slashes of the path written as {@code %2F}, or {@code
   * ldapi:///PATH}.
   *
   * @throws IllegalArgumentException if the text is something else
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
      throw new IllegalArgumentException("'" + url + "' names more than a server");
    }
    String host = uri.getHost().replaceAll("[\\[\\]]", "");
    int port = uri.getPort() < 0 ? scheme.port : uri.getPort();
    if (port == DOMAIN) {
      throw new IllegalArgumentException("port 0 is not within 1 and 65535");
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
          "'" + url + "' names no socket: write ldapi:// and its path, each / of it as %2F");
    }
    return authority.isEmpty() ? path : authority;
  }

  private static void checkPath(String path) {
    if (path.charAt(0) != '/') {
      throw new IllegalArgumentException("'" + path + "' is not the absolute path of a socket");
    }
    if (path.getBytes(StandardCharsets.UTF_8).length > LONGEST_PATH) {
      throw new IllegalArgumentException(
          "'" + path + "' is longer than the " + LONGEST_PATH + " octets of a socket's path");
    }
  }

  /** Whether nothing that is sent to it leaves the machine. */
  public boolean local() {
    return scheme == Scheme.LDAPI || isLoopback(host);
  }

  /** Whether a host name or address means the machine itself. */
  public static boolean isLoopback(String host) {
    return LOOPBACK.matcher(host.toLowerCase(Locale.ROOT)).matches();
  }

  /** The URL, as {@link #parse} reads it. */
  @Override
  public String toString() {
    if (scheme == Scheme.LDAPI) {
      String name = URLEncoder.encode(host, StandardCharsets.UTF_8).replace("+", "%20");
      return scheme.prefix() + "://" + name;
    }
    if (isDomain()) {
      return scheme.prefix() + BY_DNS + "://" + host;
    }
    return scheme.prefix() + "://" + (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
  }
}

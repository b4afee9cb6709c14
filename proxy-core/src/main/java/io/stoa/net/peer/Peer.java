// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.peer;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * Facts about a connection, and the proofs it carries of the client's identity.
 *
 * <p>Threading: immutable.
 *
 * @param endpoint address of the client, taken from the PROXY header if one was received; null for
 *     local sockets
 * @param tlsVersion version of TLS, such as {@code TLSv1.3}; null without TLS
 * @param subject subject of the verified client certificate, as {@link SubjectName} writes it; null
 *     without a certificate
 * @param user the local user, if the connection is a local socket and the system reports its peer;
 *     else null
 * @param listener name of the listener from the configuration; empty for Stoa itself
 */
public record Peer(
    @Nullable InetSocketAddress endpoint,
    @Nullable String tlsVersion,
    @Nullable String subject,
    @Nullable LocalUser user,
    String listener) {
  /** Stoa itself: no facts are known. */
  public static final Peer UNKNOWN = new Peer(null, null, null, null, "");

  /** True if the connection uses TLS. */
  public boolean tls() {
    return tlsVersion != null;
  }

  /** Returns the text for logs: address and port, or user and process of a local socket. */
  public String origin() {
    if (endpoint != null) {
      return endpoint.toString();
    }
    return user == null ? "a local socket" : "a local socket (" + user + ")";
  }

  /** Returns the IP address; null for local sockets. */
  public @Nullable InetAddress address() {
    return endpoint == null ? null : endpoint.getAddress();
  }
}

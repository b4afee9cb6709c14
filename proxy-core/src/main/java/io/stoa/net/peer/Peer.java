// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.peer;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a connection, and what it proves of the client at its other end. Immutable.
 *
 * @param endpoint where it comes from: what a PROXY header says, if one came; null for local
 *     sockets
 * @param tls whether it speaks TLS
 * @param subject the subject of its certificate, which was verified, as {@link SubjectName} writes
 *     it; null if it showed none
 * @param user who it is, if it came over a local socket of a system that tells; else null
 * @param listener to which it has come, as the configuration has it; empty for Stoa itself
 */
public record Peer(
    @Nullable InetSocketAddress endpoint,
    boolean tls,
    @Nullable String subject,
    @Nullable LocalUser user,
    String listener) {
  /** Nothing is known: Stoa itself. */
  public static final Peer UNKNOWN = new Peer(null, false, null, null, "");

  /** For logs: the address and the port, or the user and the process at a local socket. */
  public String origin() {
    if (endpoint != null) {
      return endpoint.toString();
    }
    return user == null ? "a local socket" : "a local socket (" + user + ")";
  }

  /** Its address; null for local sockets. */
  public @Nullable InetAddress address() {
    return endpoint == null ? null : endpoint.getAddress();
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.external;

import io.stoa.ldap.protocol.Octets;
import io.stoa.net.peer.Peer;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * As whom clients act that bind by SASL EXTERNAL: {@code certificate PATTERN => AUTHZID} or {@code
 * socket PATTERN => AUTHZID}. Immutable. Equal if the texts are.
 */
public final class ExternalRule {
  private static final String CERTIFICATE = "certificate ";
  private static final String SOCKET = "socket ";
  private static final String ARROW = " => ";

  private final String text;
  private final PeerPattern pattern;
  private final AuthzIdTemplate identity;

  private ExternalRule(String text, PeerPattern pattern, AuthzIdTemplate identity) {
    this.text = text;
    this.pattern = pattern;
    this.identity = identity;
  }

  /**
   * Reads a rule.
   *
   * @throws IllegalArgumentException if the text is none
   */
  public static ExternalRule parse(String text) {
    int arrow = text.lastIndexOf(ARROW);
    if (arrow < 0) {
      throw new IllegalArgumentException(
          "'"
              + text
              + "' is not of the form 'certificate PATTERN => AUTHZID' or 'socket "
              + "PATTERN => AUTHZID'");
    }
    PeerPattern pattern = pattern(text.substring(0, arrow));
    AuthzIdTemplate identity = AuthzIdTemplate.parse(text.substring(arrow + ARROW.length()));
    Set<String> names = identity.names();
    if (!pattern.names().containsAll(names)) {
      throw new IllegalArgumentException(
          "'" + identity + "' has a name in braces that is not one of " + pattern.names());
    }
    return new ExternalRule(text, pattern, identity);
  }

  private static PeerPattern pattern(String text) {
    if (text.startsWith(CERTIFICATE)) {
      return SubjectPattern.parse(text.substring(CERTIFICATE.length()).strip());
    }
    if (text.startsWith(SOCKET)) {
      return SocketPattern.parse(text.substring(SOCKET.length()).strip());
    }
    throw new IllegalArgumentException("'" + text + "' begins neither with certificate nor socket");
  }

  /** Whether it is about client certificates; else it is about users of local sockets. */
  public boolean ofCertificates() {
    return pattern instanceof SubjectPattern;
  }

  /** Whether the client decides which user it is, and the directory who that is. */
  public boolean givesUsersOfClients() {
    return identity.isUser() && !identity.names().isEmpty();
  }

  /** Whether it is about the client. */
  @Nullable Map<String, String> match(Peer peer) {
    return pattern.match(peer);
  }

  /** As whom a client acts of which these are the values; null if they make no identity. */
  @Nullable Octets authzId(Map<String, String> values) {
    return identity.fill(values);
  }

  /** As whom all its clients act; null if that depends on the client. */
  public @Nullable Octets fixed() {
    return identity.names().isEmpty() ? identity.fill(Map.of()) : null;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ExternalRule that && text.equals(that.text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  /** As it was written. */
  @Override
  public String toString() {
    return text;
  }
}

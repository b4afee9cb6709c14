// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.external;

import io.stoa.ldap.protocol.Octets;
import io.stoa.net.peer.Peer;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One rule for clients that bind by SASL EXTERNAL: {@code certificate PATTERN => AUTHZID} or {@code
 * socket PATTERN => AUTHZID}. Two rules are equal if their texts are.
 *
 * <p>Threading: immutable.
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
   * Parses a rule.
   *
   * @throws IllegalArgumentException if the text is malformed
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
          "'" + identity + "' has an unknown name in braces; known names: " + pattern.names());
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
    throw new IllegalArgumentException("'" + text + "' must begin with 'certificate' or 'socket'");
  }

  /** True for a rule about client certificates; false for one about users of local sockets. */
  public boolean isForCertificates() {
    return pattern instanceof SubjectPattern;
  }

  /**
   * True if the identity is a user name ("u:") that contains a value of the client. The directory
   * then maps the user to an entry.
   */
  public boolean mapsToUserNames() {
    return identity.isUser() && !identity.names().isEmpty();
  }

  /** Returns the values of a matching client; null if the rule does not match. */
  @Nullable Map<String, String> match(Peer peer) {
    return pattern.match(peer);
  }

  /** Returns the identity for the values of a client; null if they give no valid identity. */
  @Nullable Octets authzId(Map<String, String> values) {
    return identity.fill(values);
  }

  /** Returns the identity if it is the same for all clients; null if it depends on the client. */
  public @Nullable Octets fixedAuthzId() {
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

  /** Returns the text of the rule. */
  @Override
  public String toString() {
    return text;
  }
}

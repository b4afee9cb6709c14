// SPDX-License-Identifier: Apache-2.0
package io.stoa.adapt;

import io.stoa.external.ExternalRules;
import io.stoa.identity.SaslMechanism;
import io.stoa.ldap.Oids;
import io.stoa.operation.ClientSession;
import java.util.List;

/**
 * What of a directory's root DSE works through Stoa, for one session: it may depend on how the
 * client is connected (RFC 4512, section 5.1). Immutable.
 */
public final class Offer {
  private static final String EXTERNAL = "EXTERNAL";

  private final ExternalRules external;
  private final boolean unexposed;

  /**
   * Makes it.
   *
   * @param unexposed whether a server may offer what sends a password in the clear only because
   *     Stoa's own connection is protected
   */
  public Offer(ExternalRules external, boolean unexposed) {
    this.external = external;
    this.unexposed = unexposed;
  }

  /** Whether an extended operation works for the session. */
  boolean extension(ClientSession session, String oid) {
    return switch (oid) {
      case Oids.START_TLS -> session.mayStartTls();
      case Oids.TURN -> false;
      default -> true;
    };
  }

  /** Extended operations that work for the session, whether or not the directory has them. */
  List<String> extensions(ClientSession session) {
    return session.mayStartTls() ? List.of(Oids.START_TLS) : List.of();
  }

  /** Whether a SASL mechanism works for the session. */
  boolean mechanism(ClientSession session, String name) {
    return (SaslMechanism.isOffered(name) && !exposes(session, name))
        || (SaslMechanism.isExternal(name) && knows(session));
  }

  /** Whether the directory, if the client were connected to it, would not offer the mechanism. */
  private boolean exposes(ClientSession session, String name) {
    boolean plain = !session.tls() && session.address() != null;
    return unexposed && plain && SaslMechanism.sendsSecret(name);
  }

  /** SASL mechanisms that work for the session, whether or not the directory has them. */
  List<String> mechanisms(ClientSession session) {
    return knows(session) ? List.of(EXTERNAL) : List.of();
  }

  /** Whether Stoa knows by its connection who the client is. */
  private boolean knows(ClientSession session) {
    return external.authzId(session.peer()) != null;
  }
}

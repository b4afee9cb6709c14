// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.rootdse;

import io.stoa.client.auth.SaslMechanism;
import io.stoa.ldap.protocol.Oids;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Restriction;
import io.stoa.operation.external.ExternalRules;
import java.util.List;

/**
 * What of a directory's root DSE works through Stoa, for one session: it may depend on how the
 * client is connected (RFC 4512, section 5.1). Immutable.
 */
public final class RootDseFilter {
  private static final String EXTERNAL = "EXTERNAL";
  private static final String VERSION = "3";

  private final ExternalRules external;
  private final Terms terms;
  private final DirectoryCapabilities joined;

  /**
   * Makes it.
   *
   * @param joined what all directories have to do with it
   */
  public RootDseFilter(ExternalRules external, Terms terms, DirectoryCapabilities joined) {
    this.external = external;
    this.terms = terms;
    this.joined = joined;
  }

  /**
   * What the configuration has to do with it. Immutable.
   *
   * @param unexposed whether a server may offer what sends a password in the clear only because
   *     Stoa's own connection is protected
   * @param requireTls whether clients must be protected to bind
   * @param proxied whether clients are served by connections of a service account
   */
  public record Terms(boolean unexposed, boolean requireTls, boolean proxied) {}

  /** What of the root DSE holds for all directories. */
  DirectoryCapabilities joined() {
    return joined;
  }

  /** Whether an extended operation works for the session. */
  boolean extension(ClientSession session, String oid) {
    return joined.everywhere().test(oid) && worksHere(session, oid);
  }

  private boolean worksHere(ClientSession session, String oid) {
    return switch (oid) {
      case Oids.START_TLS -> session.mayStartTls();
      case Oids.TURN -> false;
      case Oids.CANCEL -> true;
      case Oids.WHO_AM_I -> known(session) || session.identity().isExternal();
      case Oids.PASSWORD_MODIFY -> known(session);
      default -> hasOwn(session);
    };
  }

  /** Whether what comes over a connection for the session comes from the client itself. */
  private boolean known(ClientSession session) {
    return !terms.proxied || hasOwn(session);
  }

  /** Whether the client has, or can get, a connection on which it alone acts. */
  private static boolean hasOwn(ClientSession session) {
    return session.identity().bindsAgain()
        || session.restriction().compareTo(Restriction.ONLY_CONNECTION) >= 0;
  }

  /** Whether a control works for the session. */
  boolean control(ClientSession session, String oid) {
    return joined.everywhere().test(oid) && takes(session, oid);
  }

  private boolean takes(ClientSession session, String oid) {
    return switch (oid) {
      case Oids.PROXIED_AUTHZ_V1, Oids.PROXIED_AUTHZ_V2 -> known(session);
      case Oids.VLV_REQUEST,
          Oids.PERSISTENT_SEARCH,
          Oids.SYNC_REQUEST,
          Oids.TXN_SPEC,
          Oids.DIRSYNC,
          Oids.AD_NOTIFICATION ->
          hasOwn(session);
      default -> true;
    };
  }

  /** Whether a version of the protocol works: binds of others are refused. */
  static boolean version(String number) {
    return number.equals(VERSION);
  }

  /** Extended operations that work for the session, whether or not the directory has them. */
  List<String> extensions(ClientSession session) {
    return session.mayStartTls() ? List.of(Oids.START_TLS) : List.of();
  }

  /** Whether a SASL mechanism works for the session. */
  boolean mechanism(ClientSession session, String name) {
    return (SaslMechanism.isOffered(name) && mayBind(session) && !exposes(session, name))
        || (SaslMechanism.isExternal(name) && knows(session));
  }

  private boolean mayBind(ClientSession session) {
    return !terms.requireTls || !session.inPlain();
  }

  /**
   * Whether the directory, if the client were connected to it, would not offer the mechanism, nor
   * take it.
   */
  private boolean exposes(ClientSession session, String name) {
    return terms.unexposed && session.inPlain() && SaslMechanism.sendsSecret(name);
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

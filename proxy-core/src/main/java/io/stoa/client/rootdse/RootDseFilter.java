// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.rootdse;

import io.stoa.client.auth.SaslMechanism;
import io.stoa.ldap.protocol.Oids;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Restriction;
import io.stoa.operation.external.ExternalRules;
import java.util.List;

/**
 * Decides which parts of a directory's root DSE work through Stoa, for one session. The result may
 * depend on the client's connection (RFC 4512, section 5.1).
 *
 * <p>Threading: immutable.
 */
public final class RootDseFilter {
  private static final String EXTERNAL = "EXTERNAL";
  private static final String VERSION = "3";

  private final ExternalRules external;
  private final Config config;
  private final DirectoryCapabilities capabilities;

  /**
   * Creates a filter.
   *
   * @param capabilities capabilities that all directories share
   */
  public RootDseFilter(ExternalRules external, Config config, DirectoryCapabilities capabilities) {
    this.external = external;
    this.config = config;
    this.capabilities = capabilities;
  }

  /**
   * Settings of the filter.
   *
   * <p>Threading: immutable.
   *
   * @param hidePlainSasl true if mechanisms that send a password in the clear are hidden from
   *     unprotected clients. A server may offer them only because Stoa's own connection is
   *     protected.
   * @param requireTls true if clients must use TLS to bind
   * @param proxied true if clients are served by connections of a service account
   */
  public record Config(boolean hidePlainSasl, boolean requireTls, boolean proxied) {}

  /** Returns the capabilities that all directories share. */
  DirectoryCapabilities joined() {
    return capabilities;
  }

  /** True if an extended operation works for the session. */
  boolean allowsExtension(ClientSession session, String oid) {
    return capabilities.everywhere().test(oid) && isExtensionUsable(session, oid);
  }

  private boolean isExtensionUsable(ClientSession session, String oid) {
    return switch (oid) {
      case Oids.START_TLS -> session.mayStartTls();
      case Oids.TURN -> false;
      case Oids.CANCEL -> true;
      case Oids.WHO_AM_I -> isBoundAsClient(session) || session.identity().isExternal();
      case Oids.PASSWORD_MODIFY -> isBoundAsClient(session);
      default -> canBindAsClient(session);
    };
  }

  /**
   * True if the session's upstream connections are bound as the client, and not as a service
   * account.
   */
  private boolean isBoundAsClient(ClientSession session) {
    return !config.proxied || canBindAsClient(session);
  }

  /** True if the client has, or can get, an upstream connection that is bound as itself. */
  private static boolean canBindAsClient(ClientSession session) {
    return session.identity().canRebind()
        || session.restriction().compareTo(Restriction.ONLY_CONNECTION) >= 0;
  }

  /** True if a control works for the session. */
  boolean allowsControl(ClientSession session, String oid) {
    return capabilities.everywhere().test(oid) && isControlUsable(session, oid);
  }

  private boolean isControlUsable(ClientSession session, String oid) {
    return switch (oid) {
      case Oids.PROXIED_AUTHZ_V1, Oids.PROXIED_AUTHZ_V2 -> isBoundAsClient(session);
      case Oids.VLV_REQUEST,
          Oids.PERSISTENT_SEARCH,
          Oids.SYNC_REQUEST,
          Oids.TXN_SPEC,
          Oids.DIRSYNC,
          Oids.AD_NOTIFICATION ->
          canBindAsClient(session);
      default -> true;
    };
  }

  /** True if a protocol version works. Binds of other versions are refused. */
  static boolean allowsVersion(String number) {
    return number.equals(VERSION);
  }

  /** Returns extended operations that work for the session even if the directory lacks them. */
  List<String> extensions(ClientSession session) {
    return session.mayStartTls() ? List.of(Oids.START_TLS) : List.of();
  }

  /** True if a SASL mechanism works for the session. */
  boolean allowsMechanism(ClientSession session, String name) {
    return (SaslMechanism.isOffered(name) && mayBind(session) && !exposes(session, name))
        || (SaslMechanism.isExternal(name) && isIdentifiedByConnection(session));
  }

  private boolean mayBind(ClientSession session) {
    return !config.requireTls || !session.isUnprotected();
  }

  /**
   * True if the mechanism sends a secret in the clear, the client is unprotected, and {@link
   * Config#hidePlainSasl} is set. A directory would not offer the mechanism to such a client, nor
   * accept it.
   */
  private boolean exposes(ClientSession session, String name) {
    return config.hidePlainSasl && session.isUnprotected() && SaslMechanism.sendsSecret(name);
  }

  /** Returns SASL mechanisms that work for the session even if the directory lacks them. */
  List<String> mechanisms(ClientSession session) {
    return isIdentifiedByConnection(session) ? List.of(EXTERNAL) : List.of();
  }

  /** True if Stoa can identify the client by its connection. */
  private boolean isIdentifiedByConnection(ClientSession session) {
    return external.authzId(session.peer()) != null;
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.auth;

import io.stoa.client.listener.ListenerConfig;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.net.peer.Network;
import io.stoa.net.peer.Peer;
import io.stoa.net.transport.InvalidConfigException;
import io.stoa.operation.ClientIdentity;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * Configuration of the administrator of Stoa.
 *
 * <p>Threading: immutable.
 *
 * @param dn name of the administrator, below {@code cn=configuration}, where no directory has
 *     entries
 * @param passwordHash hash of the password; empty if binds by password are disabled
 * @param networks networks from which Stoa's own trees may be used and the administrator may bind;
 *     local sockets are always permitted; empty means all networks
 * @param listeners listeners at which a client must have connected for the same; empty means all
 *     listeners
 * @param readers DNs of clients that may read servers, feeds, sharing classes and write windows in
 *     {@code cn=monitor}; {@value #ALL_CLIENTS} for all clients
 * @param trees trees that Stoa answers itself
 */
public record AdministratorConfig(
    String dn,
    Optional<PasswordHash> passwordHash,
    List<Network> networks,
    List<ListenerConfig> listeners,
    List<String> readers,
    OwnTrees trees) {
  /** Value of {@code readers} that permits all clients. */
  public static final String ALL_CLIENTS = "*";

  /** Suffix of the tree that contains the administrator's entry. */
  static final NormalDn CONFIGURATION = normal("cn=configuration");

  /** Defaults: binds by password are disabled. */
  public static final AdministratorConfig DEFAULTS =
      new AdministratorConfig(
          "cn=admin,cn=configuration",
          Optional.empty(),
          List.of(),
          List.of(),
          List.of(),
          OwnTrees.BOTH);

  public AdministratorConfig {
    networks = List.copyOf(networks);
    listeners = List.copyOf(listeners);
    readers = List.copyOf(readers);
    NormalDn name = normal(dn);
    if (!name.isBelowOrEqual(CONFIGURATION) || name.depth() <= CONFIGURATION.depth()) {
      throw new InvalidConfigException(
          "dn",
          " '"
              + dn
              + "' must be below cn=configuration, so that it cannot be an entry of the "
              + "directory");
    }
  }

  /** True if Stoa's own trees are served to a client. */
  boolean permits(Peer peer) {
    InetAddress address = peer.address();
    return address == null
        || (isInPermittedNetwork(address) && isAtPermittedListener(peer.listener()));
  }

  private boolean isInPermittedNetwork(InetAddress address) {
    return networks.isEmpty() || networks.stream().anyMatch(one -> one.contains(address));
  }

  private boolean isAtPermittedListener(String address) {
    return listeners.isEmpty()
        || listeners.stream().anyMatch(listener -> listener.toString().equals(address));
  }

  /** True if a name is the administrator's. */
  boolean isNamed(byte[] name) {
    return isSame(dn, name);
  }

  /**
   * True if a client may read servers, feeds, sharing classes and windows in {@code cn=monitor}.
   */
  public boolean isReader(ClientIdentity client) {
    byte[] name = client.dn();
    return readers.contains(ALL_CLIENTS)
        || (name != null && name.length > 0 && readers.stream().anyMatch(one -> isSame(one, name)));
  }

  private static boolean isSame(String dn, byte[] name) {
    NormalDn administrator = normal(dn);
    NormalDn other = NormalDn.of(name, ServerProfile.EXACT);
    return other.isBelowOrEqual(administrator) && administrator.isBelowOrEqual(other);
  }

  private static NormalDn normal(String dn) {
    return NormalDn.of(dn.getBytes(StandardCharsets.UTF_8), ServerProfile.EXACT);
  }
}

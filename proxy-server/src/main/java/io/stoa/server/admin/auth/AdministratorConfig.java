// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.auth;

import io.stoa.client.listener.ListenerConfig;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.net.peer.Network;
import io.stoa.net.peer.Peer;
import io.stoa.operation.ClientIdentity;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * Who administers Stoa. Immutable.
 *
 * @param dn its name, below {@code cn=configuration}, where no directory has anything
 * @param passwordHash of its password; empty if nobody gets in by a password
 * @param networks from where Stoa's own trees are served, and the administrator may come, beside
 *     local sockets; none: from everywhere
 * @param listeners to which they must have come, likewise; none: to any
 * @param readers DNs of the clients that may read of servers, feeds, classes and windows in {@code
 *     cn=monitor}, as the administrator may; {@value #EVERYBODY} for all clients
 * @param trees which those are
 */
public record AdministratorConfig(
    String dn,
    Optional<PasswordHash> passwordHash,
    List<Network> networks,
    List<ListenerConfig> listeners,
    List<String> readers,
    OwnTrees trees) {
  /** Stands for all clients among the readers. */
  public static final String EVERYBODY = "*";

  /** The tree of which the administrator is a part. */
  static final NormalDn CONFIGURATION = normal("cn=configuration");

  /** Nobody gets in by a password. */
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
      throw new IllegalArgumentException(
          "dn '" + dn + "' is not below cn=configuration: it could be an entry of the directory");
    }
  }

  /** Whether Stoa's own trees are served to a client. */
  boolean admits(Peer peer) {
    InetAddress address = peer.address();
    return address == null || (isNear(address) && hasComeTo(peer.listener()));
  }

  private boolean isNear(InetAddress address) {
    return networks.isEmpty() || networks.stream().anyMatch(one -> one.contains(address));
  }

  private boolean hasComeTo(String where) {
    return listeners.isEmpty()
        || listeners.stream().anyMatch(listener -> listener.toString().equals(where));
  }

  /** Whether it is the name of the administrator. */
  boolean isNamed(byte[] name) {
    return isSame(dn, name);
  }

  /** True if a client may read of servers, feeds, classes and windows in {@code cn=monitor}. */
  public boolean isReader(ClientIdentity client) {
    byte[] name = client.dn();
    return readers.contains(EVERYBODY)
        || (name != null && name.length > 0 && readers.stream().anyMatch(one -> isSame(one, name)));
  }

  private static boolean isSame(String dn, byte[] name) {
    NormalDn own = normal(dn);
    NormalDn other = NormalDn.of(name, ServerProfile.EXACT);
    return other.isBelowOrEqual(own) && own.isBelowOrEqual(other);
  }

  private static NormalDn normal(String dn) {
    return NormalDn.of(dn.getBytes(StandardCharsets.UTF_8), ServerProfile.EXACT);
  }
}

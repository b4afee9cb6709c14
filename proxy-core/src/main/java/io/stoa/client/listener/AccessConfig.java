// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.listener;

import static io.stoa.net.transport.InvalidConfigException.refuse;

import io.stoa.client.listener.ListenerConfig.Protocol;
import io.stoa.net.peer.Network;
import io.stoa.net.tls.TlsConfig;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The listeners, and their requirements for clients.
 *
 * <p>Threading: immutable.
 *
 * @param listeners the addresses
 * @param tls TLS settings of the listeners; null without TLS
 * @param requireTls true if binds with a password or SASL are refused on connections without TLS,
 *     except on local sockets (RFC 4513, section 6.3)
 * @param allowPlainSasl true if SASL mechanisms that send a password in the clear are offered to
 *     clients without TLS, and accepted from them. A server may offer them only because Stoa's own
 *     connection is protected.
 * @param proxyProtocol networks of load balancers. Connections from there must begin with a PROXY
 *     header; no other connections may.
 * @param socketMode permissions of the files of local sockets, as in {@code 0666}
 */
public record AccessConfig(
    List<ListenerConfig> listeners,
    @Nullable TlsConfig tls,
    boolean requireTls,
    boolean allowPlainSasl,
    List<Network> proxyProtocol,
    int socketMode) {
  /**
   * Default permissions of a local socket. Everyone with access to its directory may connect, as
   * with a TCP port.
   */
  public static final int SOCKET_MODE = 0666;

  private static final int ALL_PERMISSIONS = 0777;

  public AccessConfig {
    listeners = List.copyOf(listeners);
    proxyProtocol = List.copyOf(proxyProtocol);
    refuse(listeners.isEmpty(), "listen", " must not be empty");
    boolean certified = tls != null && tls.certificate() != null;
    for (ListenerConfig listener : listeners) {
      refuse(
          listener.kind() == Protocol.LDAPS && !certified,
          "listen",
          " has " + listener + ", which requires ",
          "certificate",
          " and ",
          "key");
    }
    boolean confidential = listeners.stream().anyMatch(l -> l.kind() != Protocol.LDAP);
    refuse(
        requireTls && !certified && !confidential,
        "requireTls",
        " requires ",
        "certificate",
        " and ",
        "key",
        ": without them no client could bind");
    refuse(
        socketMode < 0 || socketMode > ALL_PERMISSIONS,
        "socketMode",
        " must be between 0 and 0777");
  }

  /** Returns a configuration with plain listeners and no requirements. */
  public static AccessConfig of(List<ListenerConfig> listeners) {
    return new AccessConfig(listeners, null, false, false, List.of(), SOCKET_MODE);
  }
}

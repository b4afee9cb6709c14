// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.listener;

import io.stoa.client.listener.ListenerConfig.Kind;
import io.stoa.net.peer.Network;
import io.stoa.net.tls.TlsConfig;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where clients are accepted, and what they must do. Immutable.
 *
 * @param listeners the addresses
 * @param tls what Stoa shows of itself to those who speak TLS; null if it does not speak TLS
 * @param requireTls whether a bind with a password or by SASL is refused on a connection that
 *     speaks no TLS and is no local socket (RFC 4513, section 6.3)
 * @param allowPlainSasl whether SASL mechanisms that send a password as it is are offered to, and
 *     taken from, clients without TLS also where a directory server would do so for Stoa only,
 *     whose connection is protected
 * @param proxyProtocol networks of load balancers: connections from there begin with a header of
 *     the PROXY protocol, and no others may
 * @param socketMode permissions of the files of local sockets, as {@code 0666}
 */
public record AccessConfig(
    List<ListenerConfig> listeners,
    @Nullable TlsConfig tls,
    boolean requireTls,
    boolean allowPlainSasl,
    List<Network> proxyProtocol,
    int socketMode) {
  /** Whoever can reach the directory of the socket may connect, as to a TCP port. */
  public static final int SOCKET_MODE = 0666;

  private static final int ALL_PERMISSIONS = 0777;

  public AccessConfig {
    listeners = List.copyOf(listeners);
    proxyProtocol = List.copyOf(proxyProtocol);
    if (listeners.isEmpty()) {
      throw new IllegalArgumentException("at least one listener is needed");
    }
    boolean certified = tls != null && tls.certificate() != null;
    for (ListenerConfig listener : listeners) {
      if (listener.kind() == Kind.LDAPS && !certified) {
        throw new IllegalArgumentException(
            "listen has " + listener + ", which needs certificate and key");
      }
    }
    boolean confidential = listeners.stream().anyMatch(l -> l.kind() != Kind.LDAP);
    if (requireTls && !certified && !confidential) {
      throw new IllegalArgumentException(
          "requireTls without certificate and key would let nobody bind");
    }
    if (socketMode < 0 || socketMode > ALL_PERMISSIONS) {
      throw new IllegalArgumentException("socketMode is not within 0 and 0777");
    }
  }

  /** Plain listeners, open to everybody. */
  public static AccessConfig of(List<ListenerConfig> listeners) {
    return new AccessConfig(listeners, null, false, false, List.of(), SOCKET_MODE);
  }
}

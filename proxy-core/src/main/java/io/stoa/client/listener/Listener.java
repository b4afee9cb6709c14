// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.listener;

import io.stoa.client.listener.ListenerConfig.Protocol;
import io.stoa.net.peer.Network;
import io.stoa.net.tls.TlsContext;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A listener with its TLS and its requirements for clients.
 *
 * <p>Threading: immutable.
 *
 * @param listener the configured address
 * @param tls creates the TLS handlers of clients; null without TLS
 * @param requireTls true if secrets are accepted only over TLS and local sockets
 * @param loadBalancers networks whose connections begin with a PROXY header
 */
public record Listener(
    ListenerConfig listener,
    @Nullable TlsContext tls,
    boolean requireTls,
    List<Network> loadBalancers) {

  /** Returns the protocol of the listener. */
  public Protocol kind() {
    return listener.kind();
  }

  /** True for a local socket, which is confidential without TLS. */
  public boolean isLocal() {
    return kind() == Protocol.LDAPI;
  }
}

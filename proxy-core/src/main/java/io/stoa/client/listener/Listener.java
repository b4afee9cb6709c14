// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.listener;

import io.stoa.client.listener.ListenerConfig.Kind;
import io.stoa.net.peer.Network;
import io.stoa.net.tls.TlsContext;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the clients of one listener come in. Immutable.
 *
 * @param listener as it is configured
 * @param tls makes their TLS; null where there is none
 * @param requireTls whether secrets are taken by TLS and on local sockets only
 * @param loadBalancers networks whose connections begin with a PROXY header
 */
public record Listener(
    ListenerConfig listener,
    @Nullable TlsContext tls,
    boolean requireTls,
    List<Network> loadBalancers) {

  /** What is spoken on the listener. */
  public Kind kind() {
    return listener.kind();
  }

  /** Whether nobody else can read what comes in, by itself. */
  public boolean local() {
    return kind() == Kind.LDAPI;
  }
}

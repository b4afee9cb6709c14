// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.EventExecutor;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.Octets;
import io.stoa.net.peer.Peer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The sender of operations: a client connection, or Stoa itself.
 *
 * <p>Threading: event loop, except for {@link #executor}.
 */
public interface ClientSession {
  /**
   * Octets that identify the owner of an IPv6 address: 8. Each holder of an address has its whole
   * network.
   */
  int NETWORK_OCTETS = 8;

  /** Returns the identity with which its operations are performed. */
  ClientIdentity identity();

  /** Returns the key by which the session is remembered. A key may outlast its session. */
  default Object key() {
    return this;
  }

  /** Returns the event loop of the session and its operations. */
  EventExecutor executor();

  /** Returns the client's address; null for Stoa's own requests and for local sockets. */
  default @Nullable InetAddress address() {
    return peer().address();
  }

  /**
   * Returns the network by which the session is counted: the IPv4 address, or the first half of an
   * IPv6 address. Empty for Stoa's own requests and for local sockets.
   */
  default Octets network() {
    return networkOf(address());
  }

  /** Returns the network of an address, as {@link #network} does; null for a local socket. */
  static Octets networkOf(@Nullable InetAddress address) {
    byte[] octets = address == null ? new byte[0] : address.getAddress();
    return Octets.of(Arrays.copyOf(octets, Math.min(octets.length, NETWORK_OCTETS)));
  }

  /** Returns the properties of the client that its connection proves. */
  Peer peer();

  /** Returns the client's address and port; null for Stoa's own requests and for local sockets. */
  default @Nullable InetSocketAddress endpoint() {
    return peer().endpoint();
  }

  /** True if the client reaches Stoa by TLS. */
  default boolean isTls() {
    return peer().tls();
  }

  /**
   * True if the client's traffic can be read on the network: it uses neither TLS nor a local
   * socket.
   */
  default boolean isUnprotected() {
    return !isTls() && address() != null;
  }

  /** True if StartTLS is possible on its connection. */
  boolean mayStartTls();

  /** True if answers can still be delivered. */
  boolean isOpen();

  /** Returns how far the session is tied to a connection of its own. */
  Restriction restriction();

  /** Pins the session to a connection of its own, until the next bind. */
  void restrict(Restriction restriction);

  /**
   * Makes the session exclusive for a request that may leave unknown state on its connection, until
   * the result is known.
   */
  Doubt doubt();

  /**
   * A request that may leave state on the connection.
   *
   * <p>Threading: event loop.
   */
  interface Doubt {
    /**
     * Called when the result is known.
     *
     * @param state true if the request left state, so that the session stays exclusive
     */
    void settle(boolean state);
  }

  /** Runs the action once, when the session binds again or ends, and its state is discarded. */
  void onReset(Runnable action);

  /** Admits and counts one more search that runs until the client ends it; false at the limit. */
  boolean admitLongLived(Operation operation);

  /** Reserves octets of held answers; false if the client has reached its limit. */
  boolean reserve(int octets);

  /** Releases reserved octets. */
  void giveBack(int octets);

  /** Returns the handler of events on the connection of a SASL bind. */
  SaslBind sasl();

  /** Delivers a notification that a server sent to this session only. Takes ownership. */
  void notify(LdapMessage unsolicited);

  /** Ends the session because its identity can no longer be served. */
  void disconnect(Rejection reason);

  /**
   * Ends the session because the connection with its state has ended. If the server closed it, no
   * notice is sent to the client either.
   */
  void onConnectionLost(boolean byServer);

  /**
   * Receives events of the connection on which a session binds by SASL.
   *
   * <p>Threading: event loop.
   */
  interface SaslBind {
    /**
     * Called when the bind has succeeded and may have negotiated a security layer. The session
     * becomes a tunnel if either side now sends octets that are not LDAP.
     *
     * <p>Never called for a connection that authenticates as Stoa to the server. Under a security
     * layer, a client could bind by EXTERNAL there, unseen, and would act as Stoa.
     */
    void onSuccess(Tunnel tunnel);

    /**
     * Called when the server sends octets that are not LDAP. A session that may not become a tunnel
     * is ended.
     *
     * @return true if the session has become a tunnel
     */
    boolean onNonLdap();
  }

  /**
   * A connection to a server on which octets can pass unread in both directions, as under a
   * security layer (RFC 4511, section 4.2).
   *
   * <p>Threading: event loop.
   */
  interface Tunnel {
    /**
     * Receives the octets for one side.
     *
     * <p>Threading: event loop.
     */
    interface End {
      /**
       * Takes octets, and their ownership. Empty octets mark the end of the other side's stream.
       *
       * @param more run once, when this side can take more, at once or later
       */
      void take(ByteBuf octets, Runnable more);
    }

    /**
     * Opens the tunnel: octets of the server go to the client's end as they arrive.
     *
     * @return the server's end
     */
    End open(End client);
  }
}

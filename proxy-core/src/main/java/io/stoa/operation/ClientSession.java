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
 * Who sends operations: a client connection, or Stoa itself. Belongs to one event loop (event-loop
 * confined, but for {@link #executor}).
 */
public interface ClientSession {
  /** Octets of an IPv6 address that tell whose it is: whoever has one has all of the network. */
  int NETWORK_OCTETS = 8;

  /** The identity as which its operations are done. */
  ClientIdentity identity();

  /** The event loop to which the session and its operations belong. */
  EventExecutor executor();

  /** The client's address; null for Stoa's own requests and for local sockets. */
  default @Nullable InetAddress address() {
    return peer().address();
  }

  /**
   * The network that it is counted by: its address, of IPv6 the half that a provider gives out;
   * empty for Stoa's own requests and for local sockets.
   */
  default Octets network() {
    InetAddress address = address();
    byte[] octets = address == null ? new byte[0] : address.getAddress();
    return Octets.of(Arrays.copyOf(octets, Math.min(octets.length, NETWORK_OCTETS)));
  }

  /** What its connection proves of the client. */
  Peer peer();

  /** The client's address and port; null for Stoa's own requests and for local sockets. */
  default @Nullable InetSocketAddress endpoint() {
    return peer().endpoint();
  }

  /** Whether the session is inside TLS between the client and Stoa. */
  default boolean tls() {
    return peer().tls();
  }

  /** Whether others may read what the client sends: it has neither TLS nor a local socket. */
  default boolean inPlain() {
    return !tls() && address() != null;
  }

  /** Whether StartTLS works on its connection, as far as that is concerned. */
  boolean mayStartTls();

  /** Whether answers can still be delivered. */
  boolean open();

  /** How far the session is tied to a connection of its own. */
  Restriction restriction();

  /** Ties the session to a connection of its own, until the next bind. */
  void restrict(Restriction restriction);

  /**
   * A request is sent that may leave an unknown state on the session's own connection: the session
   * is exclusive until that is known.
   */
  Doubt doubt();

  /** Whether a request leaves a state is not known yet. Event-loop confined. */
  interface Doubt {
    /**
     * It is known now.
     *
     * @param state whether it does, so that the session stays exclusive
     */
    void settle(boolean state);
  }

  /** Runs the action once, when the session binds again or ends: what was its own is given up. */
  void onReset(Runnable action);

  /**
   * Whether one more search that goes on until the client ends it may be begun; if so it is marked
   * and counted as such.
   */
  boolean admitLongLived(Operation operation);

  /**
   * Takes room for octets of answers that are held until they are complete; false if the client has
   * no more.
   */
  boolean reserve(int octets);

  /** Gives such room back. */
  void giveBack(int octets);

  /** What the connection on which the session binds by SASL has to tell it. */
  SaslBind sasl();

  /** Delivers a notification that a server sent to this session only. Takes ownership. */
  void notify(LdapMessage unsolicited);

  /** Ends the session because its identity can no longer be served. */
  void disconnect(Rejection reason);

  /**
   * Ends the session because the connection that held its state has ended: as the server did, if it
   * was the server, which is without a word.
   */
  void lost(boolean byServer);

  /** Hears what becomes of the connection on which a session binds by SASL. Event-loop confined. */
  interface SaslBind {
    /**
     * The bind has succeeded, and a security layer may have been agreed: the session becomes a
     * tunnel if either side now sends something that is no LDAP. Never called for a connection that
     * proves to the server that it is Stoa's: under a layer the client could bind by EXTERNAL
     * there, unseen, and would be Stoa.
     */
    void over(Tunnel tunnel);

    /**
     * The server sends what is no LDAP: whether the session has become a tunnel. A session that may
     * not become one is ended.
     */
    boolean layered();
  }

  /**
   * A connection to a server on which octets can pass there and back unread, as under a security
   * layer (RFC 4511, section 4.2). Event-loop confined.
   */
  interface Tunnel {
    /** Where the octets for one side are handed in. Event-loop confined. */
    interface End {
      /**
       * Takes octets, and ownership of them; none stand for the end of what the other side sends.
       *
       * @param more run once the side can take more, at once or later
       */
      void take(ByteBuf octets, Runnable more);
    }

    /**
     * From now on, octets of the server are handed to the client's end as they come.
     *
     * @return the server's end
     */
    End open(End client);
  }
}

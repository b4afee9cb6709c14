// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing.directory;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.net.peer.Peer;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.operation.Restriction;

/**
 * The session of a client in a directory where it has not bound. Stoa has no password for that
 * directory, so connections of this session carry the client's requests, and no credentials.
 *
 * <p>Threading: event loop.
 */
final class ForeignSession implements ClientSession {
  private final ClientSession client;
  private final ClientIdentity identity;
  private Restriction restriction = Restriction.NONE;
  private int doubts;

  /**
   * Creates a session.
   *
   * @param identity identity of the client in the directory
   */
  ForeignSession(ClientSession client, ClientIdentity identity) {
    this.client = client;
    this.identity = identity;
  }

  @Override
  public ClientIdentity identity() {
    return identity;
  }

  @Override
  public EventExecutor executor() {
    return client.executor();
  }

  @Override
  public Peer peer() {
    return client.peer();
  }

  @Override
  public boolean mayStartTls() {
    return client.mayStartTls();
  }

  @Override
  public boolean isOpen() {
    return client.isOpen();
  }

  @Override
  public Restriction restriction() {
    return doubts > 0 ? Restriction.EXCLUSIVE : restriction;
  }

  @Override
  public Object key() {
    return client.key();
  }

  /**
   * Restricts the session. A session that bypasses the caches here must not be answered from them
   * either, so the client's own session is restricted, too.
   */
  @Override
  public void restrict(Restriction stronger) {
    if (stronger.compareTo(restriction) > 0) {
      restriction = stronger;
    }
    if (stronger == Restriction.EXCLUSIVE) {
      client.restrict(stronger);
    }
  }

  @Override
  public Doubt doubt() {
    Doubt ofClient = client.doubt();
    doubts++;
    return new Doubt() {
      private boolean settled;

      @Override
      public void settle(boolean state) {
        if (!settled) {
          settled = true;
          doubts--;
          ofClient.settle(state);
          restrict(state ? Restriction.EXCLUSIVE : Restriction.NONE);
        }
      }
    };
  }

  @Override
  public void onReset(Runnable action) {
    client.onReset(action);
  }

  /** Asks the client's session: the client's own operation has no deadline then. */
  @Override
  public boolean admitLongLived(Operation operation) {
    boolean admitted = client.admitLongLived(operation.origin());
    operation.setLongLived(admitted);
    return admitted;
  }

  @Override
  public boolean reserve(int octets) {
    return client.reserve(octets);
  }

  @Override
  public void giveBack(int octets) {
    client.giveBack(octets);
  }

  @Override
  public SaslBind sasl() {
    throw new IllegalStateException("a foreign session does not bind by SASL");
  }

  @Override
  public void notify(LdapMessage unsolicited) {
    client.notify(unsolicited);
  }

  @Override
  public void disconnect(Rejection reason) {
    client.disconnect(reason);
  }

  @Override
  public void onConnectionLost(boolean byServer) {
    client.onConnectionLost(byServer);
  }
}

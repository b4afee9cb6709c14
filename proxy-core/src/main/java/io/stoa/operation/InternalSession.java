// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.net.peer.Peer;

/**
 * The session of Stoa's own requests, such as reads of the schema. Such a session is anonymous,
 * unless its requests only look up what a client would be answered. No connection is tied to it,
 * unless a subclass has one of its own.
 *
 * <p>Threading: event loop.
 */
public class InternalSession implements ClientSession {
  private final EventExecutor executor;
  private final ClientIdentity identity;

  /** Creates the session of one event loop. */
  public InternalSession(EventExecutor executor) {
    this(executor, ClientIdentity.ANONYMOUS);
  }

  /** Creates a session for requests that are never sent, with any identity. */
  public InternalSession(EventExecutor executor, ClientIdentity identity) {
    this.executor = executor;
    this.identity = identity;
  }

  @Override
  public ClientIdentity identity() {
    return identity;
  }

  @Override
  public EventExecutor executor() {
    return executor;
  }

  @Override
  public Peer peer() {
    return Peer.UNKNOWN;
  }

  @Override
  public boolean mayStartTls() {
    return false;
  }

  @Override
  public boolean isOpen() {
    return true;
  }

  @Override
  public Restriction restriction() {
    return Restriction.NONE;
  }

  @Override
  public void restrict(Restriction restriction) {
    throw new IllegalStateException("Stoa's own requests use shared connections only");
  }

  @Override
  public Doubt doubt() {
    throw new IllegalStateException("Stoa's own requests use shared connections only");
  }

  @Override
  public void onReset(Runnable action) {
    // The session lasts as long as the process.
  }

  @Override
  public boolean admitLongLived(Operation operation) {
    return false;
  }

  @Override
  public boolean reserve(int octets) {
    return true;
  }

  @Override
  public void giveBack(int octets) {
    // Its answers are few and small.
  }

  @Override
  public SaslBind sasl() {
    throw new IllegalStateException("Stoa's own requests do not bind");
  }

  @Override
  public void notify(LdapMessage unsolicited) {
    unsolicited.release();
  }

  @Override
  public void disconnect(Rejection reason) {
    // There is no client.
  }

  @Override
  public void onConnectionLost(boolean byServer) {
    // There is no client.
  }
}

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
 * A client in a directory in which it has not bound. It has no password there: whatever is done
 * with connections, nothing of the client's can be sent on them but its requests. Event-loop
 * confined.
 */
final class ForeignSession implements ClientSession {
  private final ClientSession client;
  private final ClientIdentity identity;
  private Restriction restriction = Restriction.NONE;
  private int doubts;

  /**
   * Makes it.
   *
   * @param identity as whom the client acts there
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
  public boolean open() {
    return client.open();
  }

  @Override
  public Restriction restriction() {
    return doubts > 0 ? Restriction.EXCLUSIVE : restriction;
  }

  /** What goes past the caches here must not be answered from them either. */
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

  /** It is the client's own operation that has no deadline then. */
  @Override
  public boolean admitLongLived(Operation operation) {
    boolean admitted = client.admitLongLived(operation.origin());
    operation.longLived(admitted);
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
    throw new IllegalStateException("a guest does not bind");
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
  public void lost(boolean byServer) {
    client.lost(byServer);
  }
}

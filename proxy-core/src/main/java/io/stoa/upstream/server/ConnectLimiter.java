// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Limits the connections to one server that are being opened, over all event loops. Without the
 * limit all identities would reconnect at once to a server that comes back. Waiting pools are
 * notified in order of arrival.
 *
 * <p>Threading: thread-safe.
 */
public final class ConnectLimiter {
  private int limit;
  private final Set<PoolMember> waiting = new LinkedHashSet<>();
  private int connecting;

  ConnectLimiter(int limit) {
    this.limit = limit;
  }

  /**
   * Takes the right to open a connection. If there is none, the pool is notified when to ask again.
   */
  public synchronized boolean tryBegin(PoolMember member) {
    boolean allowed = connecting < limit;
    if (allowed) {
      connecting++;
    } else {
      waiting.add(member);
    }
    return allowed;
  }

  /** Sets the maximum number of connections being opened. */
  void setMax(int newMax) {
    synchronized (this) {
      limit = newMax;
    }
    notifyNext();
  }

  /** Called when a connection is open, or its attempt has failed. */
  public void onEnded() {
    synchronized (this) {
      connecting--;
    }
    notifyNext();
  }

  /** Notifies the pool that has waited longest, if a connection may be opened. */
  void notifyNext() {
    PoolMember next = next();
    if (next != null) {
      next.onRoomExpected();
    }
  }

  private synchronized @Nullable PoolMember next() {
    Iterator<PoolMember> first = waiting.iterator();
    if (connecting >= limit || !first.hasNext()) {
      return null;
    }
    PoolMember next = first.next();
    first.remove();
    return next;
  }
}

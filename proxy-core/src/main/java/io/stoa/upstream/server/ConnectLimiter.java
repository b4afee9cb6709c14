// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Connections to one server that are in the making, all event loops together: a server that comes
 * back is not to be met by all identities at once. Whoever has to wait is told in its turn.
 * Thread-safe.
 */
public final class ConnectLimiter {
  private int most;
  private final Set<PoolMember> waiting = new LinkedHashSet<>();
  private int underWay;

  ConnectLimiter(int most) {
    this.most = most;
  }

  /**
   * Takes the right to make a connection; if there is none, the claimant hears when to ask again.
   */
  public synchronized boolean begin(PoolMember claimant) {
    boolean may = underWay < most;
    if (may) {
      underWay++;
    } else {
      waiting.add(claimant);
    }
    return may;
  }

  /** From now on there may be so many. */
  void most(int other) {
    synchronized (this) {
      most = other;
    }
    passOn();
  }

  /** A connection is made, or will not be. */
  public void ended() {
    synchronized (this) {
      underWay--;
    }
    passOn();
  }

  /** How many are in the making. */
  public synchronized int underWay() {
    return underWay;
  }

  /** Whoever has waited longest may have a turn, if there is one. */
  void passOn() {
    PoolMember next = next();
    if (next != null) {
      next.roomExpected();
    }
  }

  private synchronized @Nullable PoolMember next() {
    Iterator<PoolMember> first = waiting.iterator();
    if (underWay >= most || !first.hasNext()) {
      return null;
    }
    PoolMember next = first.next();
    first.remove();
    return next;
  }
}

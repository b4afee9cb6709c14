// SPDX-License-Identifier: Apache-2.0
package io.stoa.identity;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.ldap.Octets;
import io.stoa.operation.Credentials;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Passwords that clients have left with Stoa are tried one after the other for each name, whichever
 * event loop needs them, and one that was refused is not tried again: directories lock an account
 * on which a few attempts have failed. Thread-safe.
 */
public final class Rebinds {
  private final Map<Octets, ArrayDeque<Turn>> turns = new HashMap<>();
  private final Collection<BoundClients> loops = new CopyOnWriteArrayList<>();

  private record Turn(EventExecutor loop, Runnable begin) {}

  /** Makes the clients of a loop known. */
  void join(BoundClients clients) {
    loops.add(clients);
  }

  /** Runs what begins a bind, once no other of the name is under way; on the loop. */
  void await(Octets name, EventExecutor loop, Runnable begin) {
    if (mayBegin(name, new Turn(loop, begin))) {
      begin.run();
    }
  }

  private synchronized boolean mayBegin(Octets name, Turn turn) {
    ArrayDeque<Turn> others = turns.putIfAbsent(name, new ArrayDeque<>(1));
    if (others != null) {
      others.add(turn);
    }
    return others == null;
  }

  /** A bind has ended; what is to be known of it has been told. */
  void ended(Octets name) {
    Turn next = next(name);
    if (next != null) {
      next.loop().execute(next.begin());
    }
  }

  private synchronized @Nullable Turn next(Octets name) {
    ArrayDeque<Turn> others = turns.get(name);
    Turn next = others == null ? null : others.poll();
    if (next == null) {
      turns.remove(name);
    }
    return next;
  }

  /** Has the other loops told before the next bind of the name begins there. */
  void refused(Octets name, Credentials tried, BoundClients by) {
    for (BoundClients clients : loops) {
      if (clients != by) {
        clients.refusedElsewhere(name, tried.copy());
      }
    }
  }
}

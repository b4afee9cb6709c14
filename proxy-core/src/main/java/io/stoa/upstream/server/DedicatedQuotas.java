// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import io.stoa.ldap.protocol.Octets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How many connections to one server are for a single client each, by the network from which the
 * client comes and by its identity: nobody may have so many that none are left for others.
 * Thread-safe.
 */
public final class DedicatedQuotas {
  private volatile int most;
  private final Map<Key, Integer> taken = new HashMap<>();

  /**
   * Makes it for a server.
   *
   * @param most connections of one network, and of one identity
   */
  DedicatedQuotas(int most) {
    this.most = most;
  }

  /** From now on nobody gets more than so many. */
  void most(int connections) {
    most = connections;
  }

  /**
   * For whom a connection is. Immutable.
   *
   * @param network from where the client comes; empty if that is not known, as of local sockets
   * @param identity the name of its identity; empty if it is anonymous
   */
  public record Holder(Octets network, Octets identity) {
    /** Anonymous clients have nothing in common but the network, if that is known. */
    private List<Key> keys() {
      List<Key> keys = new ArrayList<>(2);
      if (network.length() > 0) {
        keys.add(new Key(true, network));
      }
      if (identity.length() > 0 || keys.isEmpty()) {
        keys.add(new Key(false, identity));
      }
      return keys;
    }

    /** Whether its connections count for this. */
    public boolean countsFor(Key key) {
      return keys().contains(key);
    }
  }

  /**
   * What connections are counted by. Immutable.
   *
   * @param ofNetwork whether it is a network; else it is an identity
   * @param name which one
   */
  public record Key(boolean ofNetwork, Octets name) {}

  /** What a holder has of one connection, which it does not have yet. */
  public Share of(Holder holder) {
    return new Share(holder);
  }

  /** One connection of a holder, or none. Event-loop confined. */
  public final class Share {
    private final Holder holder;
    private boolean taken;

    Share(Holder holder) {
      this.holder = holder;
    }

    /** Takes it if that has not been done; false if the holder has as many as it may. */
    public boolean take() {
      taken = taken || DedicatedQuotas.this.take(holder);
      return taken;
    }

    /** The same of a connection that is there already. */
    public void takeAnyway() {
      if (!taken) {
        taken = true;
        DedicatedQuotas.this.takeAnyway(holder);
      }
    }

    /** Gives it back if it was taken. */
    public void giveBack() {
      if (taken) {
        taken = false;
        DedicatedQuotas.this.giveBack(holder);
      }
    }

    /** Of what there are too many for one more; what counts for none of it is not in the way. */
    public List<Key> full() {
      return DedicatedQuotas.this.full(holder);
    }

    /** Whose it is. */
    public Holder holder() {
      return holder;
    }
  }

  /** Takes a connection; false, without effect, if the holder has as many as it may. */
  private synchronized boolean take(Holder holder) {
    boolean free = full(holder).isEmpty();
    if (free) {
      takeAnyway(holder);
    }
    return free;
  }

  private synchronized List<Key> full(Holder holder) {
    return holder.keys().stream().filter(key -> taken.getOrDefault(key, 0) >= most).toList();
  }

  private synchronized void takeAnyway(Holder holder) {
    holder.keys().forEach(key -> taken.merge(key, 1, Integer::sum));
  }

  private synchronized void giveBack(Holder holder) {
    for (Key key : holder.keys()) {
      taken.computeIfPresent(key, (same, count) -> count == 1 ? null : count - 1);
    }
  }
}

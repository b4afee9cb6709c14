// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import io.stoa.ldap.protocol.Octets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Limits the dedicated connections to one server for each client network and each identity, so that
 * none can use them all up.
 *
 * <p>Threading: thread-safe.
 */
public final class DedicatedQuotas {
  private volatile int limit;
  private final Map<Key, Integer> used = new HashMap<>();

  /**
   * Creates the quotas of one server.
   *
   * @param limit maximum number of connections for each network and each identity
   */
  DedicatedQuotas(int limit) {
    this.limit = limit;
  }

  /** Sets the maximum for each network and each identity. */
  void setMax(int connections) {
    limit = connections;
  }

  /**
   * Owner of a dedicated connection.
   *
   * <p>Threading: immutable.
   *
   * @param network network of the client; empty if unknown, as for Unix domain sockets
   * @param identity name of the client's identity; empty if anonymous
   */
  public record Holder(Octets network, Octets identity) {
    /**
     * Returns the keys to count under. Anonymous clients are counted by network alone, if it is
     * known.
     */
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

    /** True if the holder's connections count under {@code key}. */
    public boolean countsFor(Key key) {
      return keys().contains(key);
    }
  }

  /**
   * Network or identity under which connections are counted.
   *
   * <p>Threading: immutable.
   *
   * @param ofNetwork true for a network, false for an identity
   * @param name the network or identity
   */
  public record Key(boolean ofNetwork, Octets name) {}

  /** Creates an unclaimed share of one connection for a holder. */
  public Share newShare(Holder holder) {
    return new Share(holder);
  }

  /**
   * A holder's share of one connection, claimed or not.
   *
   * <p>Threading: event loop.
   */
  public final class Share {
    private final Holder holder;
    private boolean held;

    Share(Holder holder) {
      this.holder = holder;
    }

    /** Claims the share. Returns false if the holder has reached its quota. */
    public boolean take() {
      held = held || DedicatedQuotas.this.take(holder);
      return held;
    }

    /** Claims the share even beyond the quota, for a connection that exists already. */
    public void takeBeyondQuota() {
      if (!held) {
        held = true;
        DedicatedQuotas.this.takeBeyondQuota(holder);
      }
    }

    /** Gives the share back if it was claimed. */
    public void giveBack() {
      if (held) {
        held = false;
        DedicatedQuotas.this.giveBack(holder);
      }
    }

    /**
     * Returns the keys whose quota is used up. Closing a connection under another key frees
     * nothing.
     */
    public List<Key> exhaustedKeys() {
      return DedicatedQuotas.this.exhaustedKeys(holder);
    }

    /** Returns the owner of the connection. */
    public Holder holder() {
      return holder;
    }
  }

  /** Claims a connection. Returns false, without effect, if the holder has reached its quota. */
  private synchronized boolean take(Holder holder) {
    boolean free = exhaustedKeys(holder).isEmpty();
    if (free) {
      takeBeyondQuota(holder);
    }
    return free;
  }

  private synchronized List<Key> exhaustedKeys(Holder holder) {
    return holder.keys().stream().filter(key -> used.getOrDefault(key, 0) >= limit).toList();
  }

  private synchronized void takeBeyondQuota(Holder holder) {
    holder.keys().forEach(key -> used.merge(key, 1, Integer::sum));
  }

  private synchronized void giveBack(Holder holder) {
    for (Key key : holder.keys()) {
      used.computeIfPresent(key, (same, count) -> count == 1 ? null : count - 1);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.backend;

import io.stoa.ldap.Octets;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many connections to one server are for a single client each, by the client's address and by
 * its identity: nobody may have so many that none are left for others. Thread-safe.
 */
public final class Shares {
  private final int most;
  private final Map<Object, Integer> taken = new HashMap<>();

  /**
   * Makes it for a server.
   *
   * @param most connections of one address, and of one identity
   */
  Shares(int most) {
    this.most = most;
  }

  /**
   * For whom a connection is. Immutable.
   *
   * @param address null if it is not known, as of local sockets
   * @param identity the name of the identity
   */
  public record Holder(@Nullable InetAddress address, Octets identity) {
    /** Whether what one of them gives up is of use to the other. */
    public boolean sharesWith(Holder other) {
      return identity.equals(other.identity) || (address != null && address.equals(other.address));
    }
  }

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
      taken = taken || Shares.this.take(holder);
      return taken;
    }

    /** The same of a connection that is there already. */
    public void takeAnyway() {
      if (!taken) {
        taken = true;
        Shares.this.takeAnyway(holder);
      }
    }

    /** Gives it back if it was taken. */
    public void giveBack() {
      if (taken) {
        taken = false;
        Shares.this.giveBack(holder);
      }
    }

    /** Whose it is. */
    public Holder holder() {
      return holder;
    }
  }

  /** Takes a connection; false, without effect, if the holder has as many as it may. */
  private synchronized boolean take(Holder holder) {
    boolean free = hasRoom(holder.address) && hasRoom(holder.identity);
    if (free) {
      takeAnyway(holder);
    }
    return free;
  }

  private boolean hasRoom(@Nullable Object key) {
    return taken.getOrDefault(key, 0) < most;
  }

  private synchronized void takeAnyway(Holder holder) {
    if (holder.address != null) {
      taken.merge(holder.address, 1, Integer::sum);
    }
    taken.merge(holder.identity, 1, Integer::sum);
  }

  private synchronized void giveBack(Holder holder) {
    if (holder.address != null) {
      taken.computeIfPresent(holder.address, (key, count) -> count == 1 ? null : count - 1);
    }
    taken.computeIfPresent(holder.identity, (key, count) -> count == 1 ? null : count - 1);
  }
}

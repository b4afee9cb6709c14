// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.Uuid;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;

/**
 * Remembers in which state and by which name the feed's account has read each entry.
 *
 * <ol>
 *   <li>A server does not go back behind a state that it has shown.
 *   <li>The entry, its name and the access rules decide whether the account sees it. An equal or
 *       older state by the same name is therefore visible too, until rights may have changed.
 *   <li>At most 100,000 entries are kept; the ones shown longest ago leave first.
 *   <li>Names are compared as the server has spelled them. An entry in another spelling is only
 *       read once more.
 * </ol>
 *
 * <p>Octets of an entry: about 80, and its name. The identifier and the state are objects of the
 * view that was waiting for them, as long as that exists.
 *
 * <p>Threading: confined to one thread.
 */
public final class ConfirmedStates {
  private static final int MAX = 100_000;

  private final Map<Uuid, Proof> byUuid = new BoundedMap();
  private final LongSupplier clock;
  private final LongUnaryOperator rights;
  private long sinceNanos;

  /** A state that was read. Immutable. */
  private record Proof(Csn state, byte[] name, long askedNanos) {}

  /** Map that removes its oldest entry above {@code MAX}. */
  private static final class BoundedMap extends LinkedHashMap<Uuid, Proof> {
    private static final long serialVersionUID = 1L;

    @Override
    protected boolean removeEldestEntry(Map.Entry<Uuid, Proof> eldest) {
      return size() > MAX;
    }
  }

  /**
   * Makes it without any state.
   *
   * @param rights the time since which rights count as unchanged, at a time of the clock
   */
  public ConfirmedStates(LongSupplier clock, LongUnaryOperator rights) {
    this.clock = clock;
    this.rights = rights;
    this.sinceNanos = clock.getAsLong();
  }

  /**
   * Records that an entry was shown to the account.
   *
   * @param name its DN as the server spells it
   * @param askedNanos the time when the search was sent
   */
  public void add(Uuid uuid, Csn state, byte[] name, long askedNanos) {
    forgetOld();
    Proof before = byUuid.remove(uuid);
    boolean older = before != null && before.state().compareTo(state) > 0;
    byUuid.put(uuid, older ? before : new Proof(state, name, askedNanos));
  }

  private void forgetOld() {
    long since = rights.applyAsLong(clock.getAsLong());
    Iterator<Proof> all = byUuid.values().iterator();
    while (all.hasNext() && all.next().askedNanos() - since < 0) {
      all.remove();
    }
  }

  /** True if the account has read the entry by that name, in that state or a newer one. */
  public boolean isConfirmed(Uuid uuid, Csn state, byte[] name) {
    Proof proof = byUuid.get(uuid);
    return proof != null
        && proof.askedNanos() - sinceNanos >= 0
        && proof.askedNanos() - rights.applyAsLong(clock.getAsLong()) >= 0
        && proof.state().compareTo(state) >= 0
        && Arrays.equals(proof.name(), name);
  }

  /** Forgets all, because the account may read from another server now. */
  public void clear() {
    sinceNanos = clock.getAsLong();
    byUuid.clear();
  }
}

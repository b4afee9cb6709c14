// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;

/**
 * In which states, and by which names, the account of a feed has been shown entries. A server that
 * has shown a state does not go back behind it, and who may see an entry follows from what it is,
 * where it is, and rights: so what shows the same entry in the same or an older state by the same
 * name need not be asked for again until rights may have changed. Those that were shown longest ago
 * are forgotten first. Thread-confined.
 */
public final class ConfirmedStates {
  private static final int MOST = 100_000;

  private final Map<Uuid, Proof> byUuid = new Youngest();
  private final LongSupplier clock;
  private final LongUnaryOperator rights;
  private long sinceNanos;

  /** Immutable. */
  private record Proof(Csn state, NormalDn name, long askedNanos) {}

  /** As many as have room. Confined as the proofs are. */
  private static final class Youngest extends LinkedHashMap<Uuid, Proof> {
    private static final long serialVersionUID = 1L;

    @Override
    protected boolean removeEldestEntry(Map.Entry<Uuid, Proof> eldest) {
      return size() > MOST;
    }
  }

  /**
   * Nothing is proved.
   *
   * @param rights since when rights are taken for what they were then, at a time of the clock
   */
  public ConfirmedStates(LongSupplier clock, LongUnaryOperator rights) {
    this.clock = clock;
    this.rights = rights;
    this.sinceNanos = clock.getAsLong();
  }

  /**
   * An entry was shown.
   *
   * @param askedNanos when it was asked for
   */
  public void shown(Uuid uuid, Csn state, NormalDn name, long askedNanos) {
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

  /** Whether an entry has been shown by that name, and in that state or a newer one. */
  public boolean prove(Uuid uuid, Csn state, NormalDn name) {
    Proof proof = byUuid.get(uuid);
    return proof != null
        && proof.askedNanos() - sinceNanos >= 0
        && proof.askedNanos() - rights.applyAsLong(clock.getAsLong()) >= 0
        && proof.state().compareTo(state) >= 0
        && proof.name().equals(name);
  }

  /** The account may be asking another server from now on. */
  public void forget() {
    sinceNanos = clock.getAsLong();
    byUuid.clear();
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.change;

import io.stoa.change.Change.Deleted;
import io.stoa.change.Change.Renamed;
import io.stoa.filter.Uuid;
import io.stoa.match.NormalDn;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * In which states the account of a feed has been shown entries: a server that has shown a state
 * does not go back behind it, so that what shows the same or an older one need not be asked for
 * again, unless the account may see less now. Those that were shown longest ago are forgotten
 * first. Thread-confined.
 */
public final class Proofs {
  private static final int MOST = 100_000;

  private final Map<Uuid, Proof> byUuid = new Youngest();
  private final long settleNanos;
  private final LongSupplier clock;
  private final LongUnaryOperator rights;
  private long sinceNanos;

  /** Immutable. */
  private record Proof(Csn state, long askedNanos) {}

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
   * @param settle a server may show a change so much later than it is told
   * @param rights since when rights are taken for what they were then, at a time of the clock
   */
  public Proofs(Duration settle, LongSupplier clock, LongUnaryOperator rights) {
    this.settleNanos = settle.toNanos();
    this.clock = clock;
    this.rights = rights;
    this.sinceNanos = clock.getAsLong();
  }

  /**
   * An entry was shown.
   *
   * @param askedNanos when it was asked for
   */
  public void shown(Uuid uuid, Csn state, long askedNanos) {
    Proof before = byUuid.remove(uuid);
    boolean older = before != null && before.state().compareTo(state) > 0;
    byUuid.put(uuid, older ? before : new Proof(state, askedNanos));
  }

  /** Whether an entry has been shown in that state or a newer one. */
  public boolean prove(Uuid uuid, Csn state) {
    Proof proof = byUuid.get(uuid);
    return proof != null
        && proof.askedNanos() - sinceNanos >= 0
        && proof.askedNanos() - rights.applyAsLong(clock.getAsLong()) >= 0
        && proof.state().compareTo(state) >= 0;
  }

  /**
   * Something has changed. An entry that is above others may have taken them to where the account
   * does not see them, and of that nothing is told.
   *
   * @param old the name that its entry had, if that is known to be above others
   */
  public void changed(Change change, @Nullable NormalDn old) {
    Uuid uuid = change.uuid();
    boolean gone = change instanceof Deleted;
    if (change instanceof Renamed || (gone ? old != null : uuid == null)) {
      forget();
    } else if (uuid != null) {
      byUuid.remove(uuid);
    }
  }

  /** Nothing is proved, nor is it by what is asked for so soon that it may show what was before. */
  public void forget() {
    sinceNanos = clock.getAsLong() + settleNanos;
    byUuid.clear();
  }
}

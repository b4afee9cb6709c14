// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import io.stoa.cache.sharing.VerifiableHit.Hit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Hits of class members that were to be verified and could not be, by canonical identity. Entries
 * outlive the identity in the class table. Otherwise a member could shed them by waiting until
 * enough others have come.
 *
 * <p>Threading: thread-safe.
 */
final class PendingVerifications {
  /**
   * Maximum number of members with pending verifications: 10,000. While there are as many, no
   * member on probation shares. A further member is put on probation instead of being added.
   */
  static final int MOST = 10_000;

  /** Maximum memory of the pending hits: 16 MiB. Each holds a request and its answer. */
  static final long MOST_OCTETS = 16 << 20;

  /** Minimum time between two attempts to verify the hits of one member: 1 s. */
  static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Age after which a member may be dropped to make room: 1 hour. */
  static final long OLD_NANOS = TimeUnit.HOURS.toNanos(1);

  /** Minimum time between two searches for such members: 1 minute. Each walks the whole map. */
  static final long SCAN_NANOS = TimeUnit.MINUTES.toNanos(1);

  private static final int OVERHEAD = 400;

  private final Map<CanonicalIdentity, MemberHits> all = new ConcurrentHashMap<>();
  private final AtomicLong octets = new AtomicLong();
  private final AtomicBoolean warned = new AtomicBoolean();
  private final Consumer<CanonicalIdentity> renewed;
  private @Nullable Long scannedNanos;

  /**
   * Creates an empty collection.
   *
   * @param renewed puts a member on probation if one of its hits cannot be kept
   */
  PendingVerifications(Consumer<CanonicalIdentity> renewed) {
    this.renewed = renewed;
  }

  /** Pending hits of one member. Guarded by the map that contains it. */
  private static final class MemberHits {
    /** The pending hits; true if a hit is being verified. */
    private final Map<Hit, Boolean> hits = new HashMap<>(2);

    private final long sinceNanos;
    private @Nullable Long askedNanos;

    MemberHits(long now) {
      sinceNanos = now;
    }
  }

  private static long size(Hit hit) {
    return OVERHEAD + hit.octets();
  }

  /** True if verifications of a member are pending. */
  boolean hasPending(CanonicalIdentity who) {
    return all.containsKey(who);
  }

  /** Returns the number of members with pending verifications. */
  int count() {
    return all.size();
  }

  /**
   * True if no member on probation may share, because too many verifications are pending. Drops old
   * members first if there is no room.
   */
  boolean isFull(long now) {
    if (isFull() && isScanDue(now)) {
      all.forEach(
          (who, debt) -> {
            if (now - debt.sinceNanos >= OLD_NANOS) {
              renewed.accept(who); // probation first, so that no hit stays unverified
              drop(who);
            }
          });
    }
    return isFull();
  }

  private boolean isFull() {
    return all.size() >= MOST || octets.get() >= MOST_OCTETS;
  }

  private synchronized boolean isScanDue(long now) {
    Long last = scannedNanos;
    boolean due = last == null || now - last >= SCAN_NANOS;
    if (due) {
      scannedNanos = now;
    }
    return due;
  }

  /**
   * Adds a hit that is not being verified now. A member whose hit finds no room is put on
   * probation, so it shares nothing until there is room.
   *
   * @return true if a warning about too many pending verifications is due
   */
  boolean add(CanonicalIdentity who, Hit hit, long now) {
    all.compute(who, (key, known) -> with(known, hit, now));
    if (!test(who, debt -> debt.hits.containsKey(hit))) {
      renewed.accept(who);
    }
    return isFull() && warned.compareAndSet(false, true); // once, until the load has halved
  }

  private @Nullable MemberHits with(@Nullable MemberHits known, Hit hit, long now) {
    boolean owed = known != null && known.hits.replace(hit, false) != null;
    boolean room = octets.get() < MOST_OCTETS && (known != null || all.size() < MOST);
    if (owed || !room) {
      return known;
    }
    MemberHits debt = known == null ? new MemberHits(now) : known;
    debt.hits.put(hit, false);
    octets.addAndGet(size(hit));
    return debt;
  }

  /** Returns the pending hits of a member that are due for an attempt. */
  List<Hit> due(CanonicalIdentity who, long now) {
    List<Hit> due = new ArrayList<>();
    all.computeIfPresent(
        who,
        (key, debt) -> {
          Long last = debt.askedNanos;
          if (last == null || now - last >= RETRY_NANOS) {
            debt.askedNanos = now;
            due.addAll(debt.hits.keySet());
          }
          return debt;
        });
    return due;
  }

  /**
   * Marks a hit as being verified, until {@link #remove} or {@link #add} is called.
   *
   * @return false if it is being verified already
   */
  boolean startVerifying(CanonicalIdentity who, Hit hit) {
    return test(who, debt -> debt.hits.replace(hit, false, true));
  }

  /** True if a hit of a member is being verified. */
  boolean isVerifying(CanonicalIdentity who) {
    return test(who, debt -> debt.hits.containsValue(true));
  }

  private boolean test(CanonicalIdentity who, Predicate<MemberHits> test) {
    boolean[] passed = {false};
    all.computeIfPresent(
        who,
        (key, debt) -> {
          passed[0] = test.test(debt);
          return debt;
        });
    return passed[0];
  }

  /** Removes a hit that was compared with upstream. */
  void remove(CanonicalIdentity who, Hit hit) {
    all.computeIfPresent(
        who,
        (key, debt) -> {
          if (debt.hits.remove(hit) != null) {
            octets.addAndGet(-size(hit));
          }
          return debt.hits.isEmpty() ? null : debt;
        });
    resetWarning();
  }

  private void drop(CanonicalIdentity who) {
    all.computeIfPresent(
        who,
        (key, debt) -> {
          debt.hits.keySet().forEach(hit -> octets.addAndGet(-size(hit)));
          return null;
        });
    resetWarning();
  }

  private void resetWarning() {
    if (all.size() < MOST / 2 && octets.get() < MOST_OCTETS / 2) {
      warned.set(false);
    }
  }

  /** Removes all pending verifications. */
  void clear() {
    all.keySet().forEach(this::drop);
  }
}

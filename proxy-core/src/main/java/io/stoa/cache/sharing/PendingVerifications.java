// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import io.stoa.cache.sharing.VerifiableHit.Hit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * Hits of class members whose verification failed, by canonical identity. Entries outlive the
 * identity in the class table. Otherwise a member could shed them by waiting until enough others
 * have come.
 *
 * <p>Threading: thread-safe.
 */
final class PendingVerifications {
  /**
   * Maximum number of members with pending verifications: 10,000. While there are as many, no
   * member on probation shares. A further member is put on probation instead of being added.
   */
  static final int MAX = 10_000;

  /** Maximum memory of the pending hits: 16 MiB. Each holds a request and its answer. */
  static final long MAX_OCTETS = 16 << 20;

  /** Minimum time between two attempts to verify the hits of one member: 1 s. */
  static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Age after which a member may be dropped to make room: 1 hour. */
  static final long OLD_NANOS = TimeUnit.HOURS.toNanos(1);

  /** Minimum time between two searches for such members: 1 minute. Each walks the whole map. */
  static final long SCAN_NANOS = TimeUnit.MINUTES.toNanos(1);

  private static final int OVERHEAD = 400;

  /** The pending hits. Changed only under the lock of this object. */
  private final Map<CanonicalIdentity, MemberHits> all = new ConcurrentHashMap<>();

  /**
   * Numbers of probations begun, by hash of the canonical identity. So memory is bounded, and all
   * spellings of a name share one count. Equal hashes only verify more.
   */
  private final AtomicIntegerArray probations = new AtomicIntegerArray(4096);

  private volatile long octets;
  private boolean warned;
  private @Nullable Long scannedNanos;

  /** Pending hits of one member. Guarded by the collection. */
  private static final class MemberHits {
    /** The pending hits; true if a hit is being verified. */
    private final Map<Hit, Boolean> hits = new HashMap<>(2);

    private final ClassMember member;
    private final long sinceNanos;
    private @Nullable Long attemptedNanos;

    MemberHits(ClassMember member, long now) {
      this.member = member;
      sinceNanos = now;
    }
  }

  private static long size(Hit hit) {
    return OVERHEAD + hit.octets();
  }

  /** True if verifications of a member are pending. */
  boolean hasPending(CanonicalIdentity identity) {
    return all.containsKey(identity);
  }

  /** Begins the probation of a canonical identity anew, for all spellings of the name. */
  void beginProbation(CanonicalIdentity identity) {
    probations.incrementAndGet(slot(identity));
  }

  /** Returns the number of probations begun; a changed value means a new probation. */
  int probations(CanonicalIdentity identity) {
    return probations.get(slot(identity));
  }

  private int slot(CanonicalIdentity identity) {
    return Math.floorMod(identity.hashCode(), probations.length());
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
    if (isFull()) {
      dropOld(now);
    }
    return isFull();
  }

  private boolean isFull() {
    return all.size() >= MAX || octets >= MAX_OCTETS;
  }

  private synchronized void dropOld(long now) {
    Long last = scannedNanos;
    if (last != null && now - last < SCAN_NANOS) {
      return;
    }
    scannedNanos = now;
    for (MemberHits known : all.values()) {
      if (now - known.sinceNanos >= OLD_NANOS) {
        beginProbation(known.member.canonical()); // first, so that no hit stays unverified
        drop(known);
      }
    }
  }

  /**
   * Adds a hit that is not being verified now. A member whose hit finds no room is put on
   * probation, so it shares nothing until there is room.
   *
   * @return true if a warning about too many pending verifications is due
   */
  synchronized boolean add(ClassMember member, Hit hit, long now) {
    MemberHits current = all.get(member.canonical());
    boolean room = octets < MAX_OCTETS && (current != null || all.size() < MAX);
    if (current != null && current.hits.replace(hit, false) != null) {
      return false;
    }
    if (room) {
      all.computeIfAbsent(member.canonical(), any -> new MemberHits(member, now))
          .hits
          .put(hit, false);
      octets += size(hit);
    } else {
      beginProbation(member.canonical());
    }
    boolean due = isFull() && !warned; // once, until the load has halved
    warned |= due;
    return due;
  }

  /** Returns the pending hits of a member that are due for an attempt. */
  synchronized List<Hit> due(CanonicalIdentity identity, long now) {
    MemberHits known = all.get(identity);
    if (known == null || !isDue(known, now)) {
      return List.of();
    }
    known.attemptedNanos = now;
    return List.copyOf(known.hits.keySet());
  }

  /** True if the identity has hits that are due for another attempt. Marks nothing. */
  synchronized boolean isDue(CanonicalIdentity identity, long now) {
    MemberHits known = all.get(identity);
    return known != null && isDue(known, now);
  }

  private static boolean isDue(MemberHits known, long now) {
    Long last = known.attemptedNanos;
    return last == null || now - last >= RETRY_NANOS;
  }

  /**
   * Marks a hit as being verified, until {@link #remove} or {@link #add} is called.
   *
   * @return false if it is being verified already
   */
  synchronized boolean startVerifying(CanonicalIdentity identity, Hit hit) {
    MemberHits known = all.get(identity);
    return known != null && known.hits.replace(hit, false, true);
  }

  /** True if a hit of a member is being verified. */
  synchronized boolean isVerifying(CanonicalIdentity identity) {
    MemberHits known = all.get(identity);
    return known != null && known.hits.containsValue(true);
  }

  /** Removes a hit that was compared with upstream. */
  synchronized void remove(CanonicalIdentity identity, Hit hit) {
    MemberHits known = all.get(identity);
    if (known != null && known.hits.remove(hit) != null) {
      octets -= size(hit);
      if (known.hits.isEmpty()) {
        drop(known);
      }
    }
  }

  private synchronized void drop(MemberHits known) {
    all.remove(known.member.canonical());
    for (Hit hit : known.hits.keySet()) {
      octets -= size(hit);
    }
    warned &= all.size() >= MAX / 2 || octets >= MAX_OCTETS / 2;
  }

  /** Removes all pending verifications. */
  synchronized void clear() {
    all.values().forEach(this::drop);
  }
}

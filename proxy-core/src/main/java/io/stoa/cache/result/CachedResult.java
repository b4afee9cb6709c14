// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.memory.Interner;
import io.stoa.cache.result.Explanation.Reason;
import io.stoa.cache.sharing.ClassMember;
import io.stoa.coherence.rights.Derivation;
import io.stoa.coherence.view.View;
import io.stoa.coherence.view.ViewState;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.Octets;
import io.stoa.operation.ReadSource;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The stored result of a search or compare: the matching entries in the directory's order, and the
 * final response.
 *
 * <p>Threading: immutable, except for the view and the hit counter.
 *
 * @param ids keys of the entries
 * @param done the final response
 * @param epoch the epoch in which the search was sent
 * @param firstNanos time at which this result held first: that of the first of the consecutive
 *     searches that returned the same
 * @param lastNanos time at which this result held last: that of the last of these searches
 * @param limits size limits for which the directory is known to return the whole result
 * @param sources the servers that answered the last search, as far as known
 * @param reader class member as which it was read; null if it is stored for one identity
 * @param watch the view by which a feed holds it; null if none does
 * @param request the request, so that it can be sent again
 * @param hitCounter recent hits
 */
record CachedResult(
    StoredEntry.Key[] ids,
    EncodedResponse done,
    long epoch,
    long firstNanos,
    long lastNanos,
    SizeLimits limits,
    List<ReadSource> sources,
    @Nullable ClassMember reader,
    @Nullable TrackedView watch,
    CacheRequest request,
    HitCounter hitCounter) {
  private static final int OVERHEAD = 240;
  private static final int REFERENCE = 8;

  /** Divisor of the lifetime: 5. A result is due for refresh in the last fifth of its lifetime. */
  private static final int AGING = 5;

  /**
   * The part of a result that a feed keeps up to date.
   *
   * <p>Threading: immutable, except for the state of the view.
   *
   * @param view validity of the result
   * @param versions state of each entry
   * @param derived data of the result that depends on other entries, and the watermark of the
   *     rights
   * @param maintainer updates the result in place; null if each change invalidates it
   */
  record TrackedView(
      View view, Csn[] versions, Derivation derived, @Nullable ResultMaintainer maintainer) {
    /** Estimated octets of a view, its index keys and its registration. */
    private static final int OVERHEAD = 400;

    private static final int EACH = 150;

    int size() {
      return OVERHEAD + versions.length * EACH;
    }

    private boolean hasStatesOf(TrackedView other) {
      return Arrays.equals(versions, other.versions);
    }

    /** True if this is the current version of the result, or is just being replaced. */
    boolean isLatestVersion() {
      return maintainer == null || maintainer.mayServe(this);
    }

    /** True if the derived data of an entry in that read is still current. */
    boolean stillShows(int index, StoredEntry.Read read, long now) {
      return derived.stillShows(derived.shown(index) | read.derived(), read.asOf(), now);
    }

    /**
     * True if the feed has nothing against serving a result read at {@code asOf} by its age, which
     * the result checks. No change must have invalidated it, all updates in place must be
     * confirmed, and no proof of freshness must be required.
     */
    boolean permitsServingByAge(long asOf, long now) {
      return !view.isInvalid()
          && view.proof() == null
          && view.isConfirmed()
          && isLatestVersion()
          && derived.stillCounts(asOf, now);
    }
  }

  /**
   * Counts recent hits of a result. Concurrent threads may lose a count.
   *
   * <p>Threading: thread-safe.
   */
  static final class HitCounter {
    /** Hits within one window that make a result hot, so that it is refreshed ahead: 3. */
    private static final int HOT = 3;

    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Minimum time between two refreshes of one result, successful or not: 250 ms. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private volatile long windowStart;
    private volatile int hits;
    private volatile long refreshedNanos;

    HitCounter(long now) {
      windowStart = now;
      refreshedNanos = now - PAUSE_NANOS;
    }

    /** Counts a hit. The counter of a hot result is only read, to avoid write contention. */
    void count(long now) {
      if (now - windowStart > WINDOW_NANOS) {
        windowStart = now;
        hits = 1;
      } else if (hits < HOT) {
        hits = Math.min(HOT, hits + 1);
      }
    }

    /** True if the result is used so much that another request for it is likely. */
    boolean isHot(long now) {
      return hits >= HOT && now - windowStart <= 2 * WINDOW_NANOS;
    }

    /** True if the result is hot and its last refresh is long enough ago. Notes the refresh. */
    boolean tryStartRefresh(long now) {
      boolean may = isHot(now) && now - refreshedNanos >= PAUSE_NANOS;
      if (may) {
        refreshedNanos = now;
      }
      return may;
    }
  }

  /** Returns the result of one search or compare. */
  static CachedResult read(
      StoredEntry.Key[] ids,
      EncodedResponse done,
      Lookup.Origin origin,
      CacheRequest request,
      @Nullable TrackedView watch) {
    long asOf = origin.asOf();
    return new CachedResult(
        ids,
        done,
        origin.epoch(),
        asOf,
        asOf,
        SizeLimits.of(request.sizeLimit()),
        origin.sources(),
        origin.reader(),
        watch,
        request,
        new HitCounter(asOf));
  }

  /** Returns the result with its final response and size limits shared with equal results. */
  CachedResult interned(Interner interner) {
    EncodedResponse internedDone = interner.intern(done);
    SizeLimits internedLimits = interner.intern(limits);
    return new CachedResult(
        ids,
        internedDone,
        epoch,
        firstNanos,
        lastNanos,
        internedLimits,
        sources,
        reader,
        watch,
        request,
        hitCounter);
  }

  /**
   * Returns the result to store after a repeated read: this one, or an earlier one that is newer.
   *
   * <p>If both reads returned the same, the result holds since the first. An entry that was read
   * then, with other attributes, may still be served with it.
   */
  CachedResult replacing(CachedResult earlier, long oldestNanos) {
    if (watch == null
        && (earlier.epoch > epoch
            || (earlier.epoch == epoch && earlier.lastNanos - lastNanos > 0))) {
      return earlier;
    }
    return continues(earlier, oldestNanos) && hasContentOf(earlier) ? withHistoryOf(earlier) : this;
  }

  private boolean hasContentOf(CachedResult other) {
    return done.equals(other.done) && Arrays.equals(ids, other.ids);
  }

  private CachedResult withHistoryOf(CachedResult earlier) {
    ResultMaintainer ownMaintainer = watch == null ? null : watch.maintainer();
    ResultMaintainer earlierMaintainer = earlier.watch == null ? null : earlier.watch.maintainer();
    if (ownMaintainer != null && earlierMaintainer != null) {
      ownMaintainer.inherit(earlierMaintainer);
    }
    return new CachedResult(
        ids,
        done,
        epoch,
        earlier.firstNanos,
        lastNanos,
        limits.and(earlier.limits),
        sources,
        reader,
        watch,
        request,
        earlier.hitCounter);
  }

  /** Returns the result as changed in place. */
  CachedResult updated(StoredEntry.Key[] newIds, TrackedView newWatch) {
    return new CachedResult(
        newIds,
        done,
        epoch,
        firstNanos,
        lastNanos,
        limits,
        sources,
        reader,
        newWatch,
        request,
        hitCounter);
  }

  /** True if the earlier result was still valid when this one was read. */
  private boolean continues(CachedResult earlier, long oldestNanos) {
    TrackedView ownWatch = watch;
    TrackedView earlierWatch = earlier.watch;
    return (ownWatch == null || earlierWatch == null)
        ? epoch == earlier.epoch && earlier.lastNanos - oldestNanos >= 0
        : !earlierWatch.view().isInvalid() && ownWatch.hasStatesOf(earlierWatch);
  }

  /**
   * Returns the watch if a feed holds the result at {@code now}, whatever its age; else null.
   *
   * @param now the time of this decision
   */
  @Nullable TrackedView liveWatch(long now) {
    TrackedView ownWatch = watch;
    return ownWatch != null && isNotRevoked(ownWatch, now) && ownWatch.view().isLive(now)
        ? ownWatch
        : null;
  }

  /** True if neither a replacement nor changed rights or groups speak against the result. */
  private boolean isNotRevoked(TrackedView ownWatch, long now) {
    return ownWatch.isLatestVersion()
        && lastNanos - ownWatch.derived().oldest(now) >= 0
        && ownWatch.derived().stillFinds(lastNanos, now);
  }

  /**
   * Returns the watch if the feed has applied all changes acknowledged before the request; else
   * null. Used for requests that accept nothing older than themselves.
   *
   * @param received time at which the request arrived
   */
  @Nullable TrackedView provedWatch(long now, long received) {
    TrackedView ownWatch = watch;
    return ownWatch != null && isNotRevoked(ownWatch, now) && ownWatch.view().isProved(received)
        ? ownWatch
        : null;
  }

  /**
   * True if the result may be served by its age. Its entries are checked separately.
   *
   * @param oldestNanos time of the request less {@code cache.maxAge}; an earlier read is too old
   */
  boolean isServableByAge(long currentEpoch, long oldestNanos, long now) {
    return isYoung(currentEpoch, oldestNanos)
        && (watch == null || watch.permitsServingByAge(lastNanos, now));
  }

  private boolean isYoung(long currentEpoch, long oldestNanos) {
    return epoch == currentEpoch && lastNanos - oldestNanos >= 0;
  }

  /** Returns the reason why the result is neither held by a feed nor young enough. */
  Reason reasonNotServable(long currentEpoch, long now) {
    TrackedView ownWatch = watch;
    if (ownWatch == null || ownWatch.view().state() == ViewState.AGE_ONLY) {
      return epoch == currentEpoch ? Reason.EXPIRED : Reason.CHANGED;
    }
    if (ownWatch.view().isInvalid()) {
      return Reason.CHANGED;
    }
    return isNotRevoked(ownWatch, now) ? Reason.LEASE : Reason.EXPIRED;
  }

  /** True if the result can never be served again. */
  boolean isUnservable(long currentEpoch, long oldestNanos, long now) {
    TrackedView ownWatch = watch;
    if (ownWatch == null || ownWatch.view().state() == ViewState.AGE_ONLY) {
      return !isYoung(currentEpoch, oldestNanos);
    }
    return ownWatch.view().isInvalid() || !isNotRevoked(ownWatch, now);
  }

  /** True if another version has replaced this one since its lookup. */
  boolean isReplaced() {
    return watch != null && !watch.isLatestVersion();
  }

  /**
   * True if the result must not be served for now: the class member as which it was read is
   * suspended.
   */
  boolean isWithheld() {
    return reader != null && reader.isSuspended();
  }

  boolean isHeldBy(View view) {
    return watch != null && watch.view() == view;
  }

  /**
   * True if the result is due for refresh. The lifetime of a result held by a feed ends with the
   * knowledge of its client's rights. The lifetime of any other result ends with its age.
   *
   * @param oldestNanos oldest read that is served by age
   */
  boolean isAging(@Nullable TrackedView validWatch, long oldestNanos, long now) {
    long maxAgeNanos = validWatch == null ? now - oldestNanos : validWatch.derived().bound(now);
    return now - lastNanos > maxAgeNanos - maxAgeNanos / AGING;
  }

  /**
   * Called when the cache drops the result. Ends its view unless a version changed in place
   * replaced it.
   */
  void onEvicted() {
    ResultMaintainer maintainer = watch == null ? null : watch.maintainer();
    if (watch != null && (maintainer == null || maintainer.isCurrent(watch))) {
      watch.view().onEvicted();
    }
  }

  /** Returns the estimated memory of the result in octets. */
  static int size(QueryKey key, CachedResult item) {
    int watchSize = item.watch == null ? 0 : item.watch.size();
    int ownSize =
        key.size() + item.done.op().length + item.ids.length * REFERENCE + item.request.size();
    return OVERHEAD + ownSize + watchSize;
  }

  /**
   * The size limits (RFC 4511, section 4.5.1.4) for which the directory is known to return a whole
   * result.
   *
   * <p>A directory may restrict requests without a limit more than those with one, and may refuse
   * those with a large one. So a request without a limit proves nothing about one with a limit, or
   * vice versa. A small limit does not prove a large one.
   *
   * <p>Threading: immutable.
   *
   * @param none true if a request without a limit returned the whole result
   * @param max largest limit with which a request returned the whole result; 0 if none did
   */
  record SizeLimits(boolean none, int max) {
    /** Returns the limits that are proved by a whole result read with {@code limit}. */
    static SizeLimits of(int limit) {
      return new SizeLimits(limit == 0, limit);
    }

    SizeLimits and(SizeLimits other) {
      return new SizeLimits(none || other.none, Math.max(max, other.max));
    }

    /**
     * True if the directory is known to return the whole result for this limit.
     *
     * @param count number of entries in the result; a limit up to this number is accepted if a
     *     request without a limit was
     */
    boolean cover(int limit, int count) {
      return limit == 0 ? none : limit <= max || (none && limit <= Math.max(count, 1));
    }
  }
}

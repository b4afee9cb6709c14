// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.memory.Interner;
import io.stoa.cache.result.Explanation.Reason;
import io.stoa.cache.sharing.ClassMember;
import io.stoa.coherence.rights.Derivation;
import io.stoa.coherence.view.View;
import io.stoa.coherence.view.ViewState;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.Octets;
import io.stoa.operation.ReadFrom;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The result of a search, or of a compare: which entries match, in the directory's order, and the
 * final response. Immutable.
 *
 * @param ids the entries
 * @param done the final response
 * @param epoch the epoch in which the search was sent
 * @param firstNanos as of when the first of the searches was answered that have returned just this
 * @param lastNanos as of when the last of them was
 * @param limits for which size limits the directory is known to give the whole result
 * @param sources the servers that have answered the last search, as far as known
 * @param reader as which member of a class it was read; null if it is stored for one identity
 * @param watch what a feed says of it; null if there is none
 * @param request the request that it answers; empty if it cannot be asked again
 * @param heat how much it is used
 */
record CachedResult(
    StoredEntry.Key[] ids,
    byte[] done,
    long epoch,
    long firstNanos,
    long lastNanos,
    SizeLimits limits,
    List<ReadFrom> sources,
    @Nullable ClassMember reader,
    @Nullable Watch watch,
    Octets request,
    Heat heat) {
  private static final int OVERHEAD = 240;
  private static final int REFERENCE = 8;

  /** In the last fifth of its time it is soon too old. */
  private static final int AGING = 5;

  /**
   * What a feed says of a result. Immutable but for the view's state.
   *
   * @param view tells whether it is still right
   * @param versions the state of each entry that is in it
   * @param derived what of it may change without its entries, and its client's rights
   * @param upkeep changes it in place; null if a change makes it void
   */
  record Watch(View view, Csn[] versions, Derivation derived, @Nullable ResultMaintainer upkeep) {
    /** A view, its anchors, and what it is found by, estimated. */
    private static final int OVERHEAD = 400;

    private static final int EACH = 150;

    int size() {
      return OVERHEAD + versions.length * EACH;
    }

    private boolean hasStatesOf(Watch other) {
      return Arrays.equals(versions, other.versions);
    }

    /** Whether it is this that says what the result is now. */
    boolean isKept() {
      return upkeep == null || upkeep.mayGive(this);
    }

    /** Whether an entry of it would be shown as in that read. */
    boolean stillShows(int index, StoredEntry.Read read, long now) {
      return derived.stillShows(derived.shown(index) | read.facets(), read.asOf(), now);
    }

    /**
     * Whether what was read at that time may be given by its age: nothing is known to speak against
     * it, and nothing in it rests on the feed alone.
     */
    boolean allowsAge(long asOf, long now) {
      return !view.isDead()
          && view.proof() == null
          && view.isBorneOut()
          && isKept()
          && derived.stillCounts(asOf, now);
    }
  }

  /**
   * How often a result was given of late. Threads that count at the same time may lose a count.
   * Thread-safe.
   */
  static final class Heat {
    /** What was given so often is asked again before a client does. */
    private static final int HOT = 3;

    private static final long WINDOW_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** What was asked again, or could not be, is not for so long. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private volatile long since;
    private volatile int hits;
    private volatile long asked;

    Heat(long now) {
      since = now;
      asked = now - PAUSE_NANOS;
    }

    /** It is given. What is hot is only looked at, so that threads do not get in their way. */
    void hit(long now) {
      if (now - since > WINDOW_NANOS) {
        since = now;
        hits = 1;
      } else if (hits < HOT) {
        hits = Math.min(HOT, hits + 1);
      }
    }

    /** Whether it is used so much that somebody will ask for it again. */
    boolean isHot(long now) {
      return hits >= HOT && now - since <= 2 * WINDOW_NANOS;
    }

    /** Whether it is asked again now that it is given: not with each time that it is. */
    boolean mayAskAgain(long now) {
      boolean may = isHot(now) && now - asked >= PAUSE_NANOS;
      if (may) {
        asked = now;
      }
      return may;
    }
  }

  /** What one search, or one compare, has returned. */
  static CachedResult read(
      StoredEntry.Key[] ids,
      byte[] done,
      Lookup.Origin origin,
      CacheRequest plan,
      @Nullable Watch watch) {
    long asOf = origin.asOf();
    return new CachedResult(
        ids,
        done,
        origin.epoch(),
        asOf,
        asOf,
        SizeLimits.of(plan.sizeLimit()),
        origin.sources(),
        origin.reader(),
        watch,
        plan.request(),
        new Heat(asOf));
  }

  /** Returns the same with its final response and size limits as they are kept for all results. */
  CachedResult interned(Interner interner) {
    byte[] same = interner.intern(Octets.of(done)).array();
    SizeLimits kept = interner.intern(limits);
    return new CachedResult(
        ids, same, epoch, firstNanos, lastNanos, kept, sources, reader, watch, request, heat);
  }

  /**
   * This result, read again after the other. If both say the same, it holds since the first: then
   * an entry that was read at that time, with other attributes, may still be served with it.
   */
  CachedResult after(CachedResult earlier, long oldestNanos) {
    if (watch == null
        && (earlier.epoch > epoch
            || (earlier.epoch == epoch && earlier.lastNanos - lastNanos > 0))) {
      return earlier;
    }
    return goesOn(earlier, oldestNanos) && saysWhat(earlier) ? since(earlier) : this;
  }

  private boolean saysWhat(CachedResult other) {
    return Arrays.equals(done, other.done) && Arrays.equals(ids, other.ids);
  }

  /** Whether both are watched, and show the same in the same states. */
  boolean isTheSame(CachedResult other) {
    Watch own = watch;
    Watch before = other.watch;
    return own != null && before != null && saysWhat(other) && own.hasStatesOf(before);
  }

  private CachedResult since(CachedResult earlier) {
    ResultMaintainer own = watch == null ? null : watch.upkeep();
    ResultMaintainer before = earlier.watch == null ? null : earlier.watch.upkeep();
    if (own != null && before != null) {
      own.inherit(before);
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
        earlier.heat);
  }

  /** The same result as a change has left it. */
  CachedResult amended(StoredEntry.Key[] now, Watch watched) {
    return new CachedResult(
        now, done, epoch, firstNanos, lastNanos, limits, sources, reader, watched, request, heat);
  }

  /** Whether the other was right until this was read. */
  private boolean goesOn(CachedResult earlier, long oldestNanos) {
    Watch own = watch;
    Watch before = earlier.watch;
    return (own == null || before == null)
        ? epoch == earlier.epoch && earlier.lastNanos - oldestNanos >= 0
        : !before.view().isDead() && own.hasStatesOf(before);
  }

  /**
   * What the feed says of it, if that is that it is right, whatever its age.
   *
   * @param now the time of this decision
   */
  @Nullable Watch vouched(long now) {
    Watch own = watch;
    return own != null && counts(own, now) && own.view().isLive(now) ? own : null;
  }

  /** Whether nothing speaks against it of which no feed tells. */
  private boolean counts(Watch own, long now) {
    return own.isKept()
        && lastNanos - own.derived().oldest(now) >= 0
        && own.derived().stillFinds(lastNanos, now);
  }

  /**
   * The same for a request that may be given nothing older than itself.
   *
   * @param received when it came
   */
  @Nullable Watch proved(long now, long received) {
    Watch own = watch;
    return own != null && counts(own, now) && own.view().isProved(received) ? own : null;
  }

  /** Whether the result may be served by its age, as far as it is known without its entries. */
  boolean alive(long currentEpoch, long oldestNanos, long now) {
    return young(currentEpoch, oldestNanos) && (watch == null || watch.allowsAge(lastNanos, now));
  }

  private boolean young(long currentEpoch, long oldestNanos) {
    return epoch == currentEpoch && lastNanos - oldestNanos >= 0;
  }

  /** Why it is neither. */
  Reason dead(long currentEpoch, long now) {
    Watch own = watch;
    if (own == null || own.view().state() == ViewState.UNSEEN) {
      return epoch == currentEpoch ? Reason.EXPIRED : Reason.CHANGED;
    }
    if (own.view().isDead()) {
      return Reason.CHANGED;
    }
    return counts(own, now) ? Reason.LEASE : Reason.EXPIRED;
  }

  /** Whether it can never be served again. */
  boolean over(long currentEpoch, long oldestNanos, long now) {
    Watch own = watch;
    if (own == null || own.view().state() == ViewState.UNSEEN) {
      return !young(currentEpoch, oldestNanos);
    }
    return own.view().isDead() || !counts(own, now);
  }

  /** Whether another one has taken its place since it was looked up, or is about to. */
  boolean isReplaced() {
    return watch != null && !watch.isKept();
  }

  /** Whether nobody is to be given it for now. */
  boolean isWithheld() {
    return reader != null && reader.isHeld();
  }

  boolean restsOn(View view) {
    return watch != null && watch.view() == view;
  }

  /**
   * Whether it is soon too old: one that a feed vouches for by what is known of its client's
   * rights, any other by its age.
   *
   * @param oldestNanos by its age it is given until it is older
   */
  boolean isAging(@Nullable Watch vouched, long oldestNanos, long now) {
    long most = vouched == null ? now - oldestNanos : vouched.derived().bound(now);
    return now - lastNanos > most - most / AGING;
  }

  /** Nobody keeps it any more, unless it was changed in place. */
  void evicted() {
    ResultMaintainer upkeep = watch == null ? null : watch.upkeep();
    if (watch != null && (upkeep == null || upkeep.isPresent(watch))) {
      watch.view().evicted();
    }
  }

  /** Memory that the item takes, estimated in octets. */
  static int size(QueryKey key, CachedResult item) {
    int watched = item.watch == null ? 0 : item.watch.size();
    int own = key.size() + item.done.length + item.ids.length * REFERENCE + item.request.length();
    return OVERHEAD + own + watched;
  }

  /**
   * For which size limits of a request (RFC 4511, section 4.5.1.4) the directory is known to give
   * the whole of a result. A directory may limit requests without a limit more than those with one,
   * and may refuse requests with a large one; so one proves nothing about the other, and a large
   * limit is not proved by a small one. Immutable.
   *
   * @param none whether a request without a limit got the whole result
   * @param most the largest limit with which a request got the whole result; 0 if there was none
   */
  record SizeLimits(boolean none, int most) {
    /** What a whole result proves that was got with a limit. */
    static SizeLimits of(int limit) {
      return new SizeLimits(limit == 0, limit);
    }

    SizeLimits and(SizeLimits other) {
      return new SizeLimits(none || other.none, Math.max(most, other.most));
    }

    /**
     * Whether the directory would answer a request with this limit from the whole result.
     *
     * @param count entries in the result: a limit that is no larger was not refused without a limit
     */
    boolean prove(int limit, int count) {
      return limit == 0 ? none : limit <= most || (none && limit <= Math.max(count, 1));
    }
  }
}

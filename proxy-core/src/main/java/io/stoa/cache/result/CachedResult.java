// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.ghost.GhostResult;
import io.stoa.cache.memory.BoundedCache;
import io.stoa.cache.result.Explanation.Reason;
import io.stoa.cache.result.ResultStore.Result;
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
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The stored result of a search or compare: the matching entries in the directory's order, and the
 * final response.
 *
 * <p>Octets: 64, and those of its key. A result of one entry refers to it directly, others to an
 * array of 16 and 4 for each entry. Parts that many results share are in the context. A result that
 * serves several attribute lists, none of which covers the others, has a second array.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>Each read is held in the {@link EntryTable} until {@link #release}, and released once. So
 *       the result counts all octets that it keeps from being collected.
 *   <li>The number and the order of entries never change; only a superseded read is replaced.
 *   <li>A served read of an entry is not older than the first search that returned the result.
 * </ol>
 *
 * <p>Threading: thread-safe. All but the view, the hits, superseded reads and the release is
 * immutable.
 */
final class CachedResult {
  private static final StoredEntry[] NO_ENTRIES = {};

  /** Estimated octets of a result and its key, with their place in the cache. */
  private static final int OVERHEAD = 208;

  private static final int ARRAY = 16;
  private static final int REFERENCE = 4;

  /** Divisor of the lifetime: 5. A result is due for refresh in the last fifth of its lifetime. */
  private static final int AGING = 5;

  private final ResultContext context;
  private final byte[] sent;
  private final long epoch;
  private final long firstNanos;
  private final long lastNanos;
  private final @Nullable TrackedView watch;

  /** Reads of the entries with other attribute lists, for requests with these. */
  private final StoredEntry[] others;

  /** One entry, or an array of entries; {@link Released} after the release. */
  private volatile Object entries;

  /** Hits, as {@link HitCount}. Concurrent threads may lose one. */
  private int hits;

  /** {@link BoundedCache#insertions} at the last use that counted. Threads may lose one. */
  private int usedAt;

  private CachedResult(
      ResultContext context,
      byte[] sent,
      Lookup.Origin origin,
      Object entries,
      @Nullable TrackedView watch) {
    this.context = context;
    this.sent = sent;
    this.epoch = origin.epoch();
    this.firstNanos = origin.asOf();
    this.lastNanos = origin.asOf();
    this.watch = watch;
    this.others = NO_ENTRIES;
    this.entries = entries;
    this.hits = HitCount.none(origin.asOf());
    context.addResult();
  }

  /** Copies a read, with the history of an earlier result. */
  private CachedResult(
      CachedResult read, ResultContext context, CachedResult earlier, StoredEntry[] others) {
    this.context = context;
    this.sent = read.sent;
    this.epoch = read.epoch;
    this.firstNanos = earlier.firstNanos;
    this.lastNanos = read.lastNanos;
    this.watch = read.watch;
    this.others = others;
    this.entries = read.entries;
    this.hits = earlier.hits;
    context.addResult();
  }

  /** Copies a result, with other entries. */
  private CachedResult(
      CachedResult before, Object entries, StoredEntry[] others, TrackedView watch) {
    this.context = before.context;
    this.sent = before.sent;
    this.epoch = before.epoch;
    this.firstNanos = before.firstNanos;
    this.lastNanos = before.lastNanos;
    this.watch = watch;
    this.others = others;
    this.entries = entries;
    this.hits = before.hits;
    context.addResult();
  }

  /**
   * The part of a result that is the same for many results, and then kept once.
   *
   * <p>Octets: 40, and those of its parts that nothing else has. The template of a shape is counted
   * once for all results with it. A template of one request is not shared: its result counts it.
   *
   * <p>Invariant: equal contexts are exchangeable.
   *
   * <p>Threading: immutable, except for the uses of the template.
   *
   * @param template the template of its request
   * @param done the final response
   * @param limits size limits for which the directory is known to return the whole result
   * @param sources the servers that answered the last search, as far as known
   * @param reader class member as which it was read; null if it is stored for one identity
   * @param templateOctets sum of the octets of the templates that results share
   */
  record ResultContext(
      RequestTemplate template,
      EncodedResponse done,
      SizeLimits limits,
      List<ReadSource> sources,
      @Nullable ClassMember reader,
      LongAdder templateOctets) {
    private static final int OVERHEAD = 40;

    /** Octets of a final response beyond which each result counts it: 64. */
    private static final int LARGE = 64;

    /** Returns its estimated memory in octets, with that of the template and the response. */
    int size() {
      return OVERHEAD + template.size() + done.op().length;
    }

    /** Returns the octets that each result with it counts. */
    int sizeForEach() {
      int response = done.op().length;
      return (template.isShared() ? 0 : template.size()) + (response > LARGE ? response : 0);
    }

    void addResult() {
      template.addResult(templateOctets);
    }

    void removeResult() {
      template.removeResult(templateOctets);
    }

    ResultContext withLimits(SizeLimits other) {
      return new ResultContext(template, done, other, sources, reader, templateOctets);
    }

    /** All contexts of one table have the same sum. */
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof ResultContext that
          && template.equals(that.template)
          && done.equals(that.done)
          && limits.equals(that.limits)
          && sources.equals(that.sources)
          && reader == that.reader;
    }

    @Override
    public int hashCode() {
      int of = template.hashCode() * 31 + done.hashCode();
      return ((of * 31 + limits.hashCode()) * 31 + sources.hashCode()) * 31
          + Objects.hashCode(reader);
    }
  }

  /**
   * The part of a result that a feed keeps up to date.
   *
   * <p>Octets: 32, those of the view, and for several entries an array of 16 and 4 for each. The
   * states are those of the view, as long as that shows the same.
   *
   * <p>Threading: immutable, except for the state of the view.
   *
   * @param view validity of the result
   * @param states state of the only entry, or an array with the state of each
   * @param derived data of the result that depends on other entries, and the watermark of the
   *     rights
   * @param maintainer updates the result in place; null if each change invalidates it
   */
  record TrackedView(
      View view, Object states, Derivation derived, @Nullable ResultMaintainer maintainer) {
    /** Estimated octets of a view, its index keys and its registration. */
    private static final int OVERHEAD = 400;

    /** Estimated octets of an entry, most of them for its name in the index. */
    private static final int EACH = 350;

    /** Creates it with the state of each entry. */
    TrackedView(
        View view, Csn[] versions, Derivation derived, @Nullable ResultMaintainer maintainer) {
      this(view, versions.length == 1 ? versions[0] : (Object) versions, derived, maintainer);
    }

    int size() {
      return OVERHEAD + count() * EACH;
    }

    private int count() {
      return states instanceof Csn[] all ? all.length : 1;
    }

    /** Returns the state of an entry. */
    Csn version(int index) {
      return states instanceof Csn[] all ? all[index] : (Csn) states;
    }

    /** Returns the state of each entry. */
    Csn[] versions() {
      return states instanceof Csn[] all ? all : new Csn[] {(Csn) states};
    }

    private boolean hasStatesOf(TrackedView other) {
      return Arrays.equals(versions(), other.versions());
    }

    /** True if this is the current version of the result, or is just being replaced. */
    boolean isLatestVersion() {
      return maintainer == null || maintainer.mayServe(this);
    }

    /** True if the derived data of an entry in that read is still current. */
    boolean stillShows(int index, StoredEntry read, long now) {
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
   * Returns the result of one search or compare.
   *
   * @param fill the search
   * @param entries its entries, which it holds in the table
   * @param result its other parts
   * @param contexts keeps equal contexts once
   */
  static CachedResult read(
      Fill fill,
      StoredEntry[] entries,
      Result result,
      Lookup.Origin origin,
      ContextTable contexts) {
    return new CachedResult(
        contexts.context(fill.lookup(), result.done(), origin),
        fill.sent(),
        origin,
        packed(entries),
        result.watch());
  }

  private static Object packed(StoredEntry[] entries) {
    return entries.length == 0 ? NO_ENTRIES : entries.length == 1 ? entries[0] : entries;
  }

  /** The entries of a result that the cache has dropped. A hit in progress may still need them. */
  private record Released(Object entries) {}

  private Object held() {
    Object now = entries;
    return now instanceof Released released ? released.entries() : now;
  }

  /** Returns the entries in the directory's order. */
  StoredEntry[] entries() {
    Object held = held();
    return held instanceof StoredEntry one ? new StoredEntry[] {one} : (StoredEntry[]) held;
  }

  /** Returns the number of entries. */
  int count() {
    Object held = held();
    return held instanceof StoredEntry ? 1 : ((StoredEntry[]) held).length;
  }

  /** Returns an entry. */
  StoredEntry entry(int index) {
    Object held = held();
    return held instanceof StoredEntry one ? one : ((StoredEntry[]) held)[index];
  }

  /** Returns the reads of its entries with other attribute lists. */
  StoredEntry[] others() {
    return others;
  }

  /**
   * Replaces a superseded read by another one of the same entry, and holds that instead. Concurrent
   * replacements may win: each of them is right.
   *
   * @param read null to keep the present one
   * @return the octets by which the size of the result has changed
   */
  int replace(EntryTable table, int index, StoredEntry before, @Nullable StoredEntry read) {
    if (read == null || !before.isSuperseded()) {
      return 0;
    }
    synchronized (this) {
      if (isReleased() || !table.hold(read)) {
        return 0;
      }
      StoredEntry present = entry(index);
      if (entries instanceof StoredEntry[] all) {
        all[index] = read;
      } else {
        entries = read;
      }
      table.release(present);
      return read.size() - present.size();
    }
  }

  /** True if the cache has dropped the result, so that it does not hold its reads. */
  boolean isReleased() {
    return entries instanceof Released;
  }

  /** Releases its reads. Must be called when the cache drops the result; repeats do nothing. */
  void release(EntryTable table) {
    synchronized (this) {
      if (isReleased()) {
        return;
      }
      entries = new Released(entries);
    }
    for (StoredEntry entry : entries()) {
      table.release(entry);
    }
    for (StoredEntry other : others) {
      table.release(other);
    }
    context.removeResult();
  }

  /** Returns the final response. */
  EncodedResponse done() {
    return context.done();
  }

  /** Returns the epoch in which the search was sent. */
  long epoch() {
    return epoch;
  }

  /**
   * Returns the time at which this result held first: that of the first of the consecutive searches
   * that returned the same.
   */
  long firstNanos() {
    return firstNanos;
  }

  /** Returns the time at which this result held last: that of the last of these searches. */
  long lastNanos() {
    return lastNanos;
  }

  /** Returns the size limits for which the directory is known to return the whole result. */
  SizeLimits limits() {
    return context.limits();
  }

  /** Returns the servers that answered the last search, as far as known. */
  List<ReadSource> sources() {
    return context.sources();
  }

  /** Returns the class member as which it was read; null if it is stored for one identity. */
  @Nullable ClassMember reader() {
    return context.reader();
  }

  /** Returns the view by which a feed holds it; null if none does. */
  @Nullable TrackedView watch() {
    return watch;
  }

  /** Returns the body of the request, so that it can be sent again. */
  Octets requestBody() {
    return context.template().body(sent);
  }

  /** Counts a use for the order of eviction; false if one was counted too recently. */
  boolean countUse(BoundedCache<QueryKey, CachedResult> items) {
    int now = items.insertions();
    int since = now - usedAt;
    boolean counts = since < 0 || since >= items.useInterval();
    if (counts) {
      usedAt = now;
    }
    return counts;
  }

  /** Counts a hit. The counter of a hot result is only read, to avoid write contention. */
  void countHit(long now) {
    int before = hits;
    int after = HitCount.counted(before, now);
    if (after != before) {
      hits = after;
    }
  }

  /** True if the result is used so much that another request for it is likely. */
  boolean isHot(long now) {
    return HitCount.isHot(hits, now);
  }

  /** True if the result is hot and its last refresh is long enough ago. Notes the refresh. */
  boolean tryStartRefresh(long now) {
    boolean may = HitCount.mayRefresh(hits, now);
    if (may) {
      hits = HitCount.refreshed(now);
    }
    return may;
  }

  /**
   * Returns the result to store after a repeated read: this one, or an earlier one that is newer.
   *
   * <p>If both reads returned the same, the result holds since the first. An entry that was read
   * then, with other attributes, may still be served with it, so the result holds it too.
   */
  CachedResult replacing(CachedResult earlier, long oldestNanos, EntryTable table) {
    if (watch == null
        && !earlier.isReleased()
        && (earlier.epoch > epoch
            || (earlier.epoch == epoch && earlier.lastNanos - lastNanos > 0))) {
      return earlier;
    }
    return continues(earlier, oldestNanos) && hasContentOf(earlier)
        ? withHistoryOf(earlier, table)
        : this;
  }

  private boolean hasContentOf(CachedResult other) {
    StoredEntry[] own = entries();
    StoredEntry[] others = other.entries();
    if (own.length != others.length) {
      return false;
    }
    for (int index = 0; index < own.length; index++) {
      if (!own[index].isSameEntry(others[index])) {
        return false;
      }
    }
    return done().equals(other.done());
  }

  /** Returns this result with its entries, which it holds instead of this one. */
  private CachedResult withHistoryOf(CachedResult earlier, EntryTable table) {
    ResultMaintainer ownMaintainer = watch == null ? null : watch.maintainer();
    ResultMaintainer earlierMaintainer = earlier.watch == null ? null : earlier.watch.maintainer();
    if (ownMaintainer != null && earlierMaintainer != null) {
      ownMaintainer.inherit(earlierMaintainer);
    }
    SizeLimits limits = limits().and(earlier.limits());
    ResultContext bothContexts = limits.equals(limits()) ? context : context.withLimits(limits);
    Stream<StoredEntry> reads = Stream.concat(otherReads(earlier), Arrays.stream(earlier.others));
    CachedResult both = new CachedResult(this, bothContexts, earlier, held(table, reads));
    context.removeResult();
    return both;
  }

  /** Returns the reads of a result with the same entries, without those of this result. */
  @SuppressWarnings("ReferenceEquality") // several reads of an entry may have equal octets
  private Stream<StoredEntry> otherReads(CachedResult earlier) {
    return IntStream.range(0, count())
        .filter(index -> entry(index) != earlier.entry(index))
        .mapToObj(earlier::entry);
  }

  /** Holds reads with other attribute lists, and returns those that are still of use. */
  static StoredEntry[] held(EntryTable table, Stream<StoredEntry> reads) {
    return reads
        .filter(read -> !read.isSuperseded() && table.hold(read))
        .toArray(count -> count == 0 ? NO_ENTRIES : new StoredEntry[count]);
  }

  /**
   * Returns the result as changed in place.
   *
   * @param newEntries other entries, which it holds
   * @param newOthers reads of them with other attribute lists, which it holds
   */
  CachedResult updated(StoredEntry[] newEntries, StoredEntry[] newOthers, TrackedView newWatch) {
    return new CachedResult(this, packed(newEntries), newOthers, newWatch);
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
    if (isReleased()) {
      return true;
    }
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
    ClassMember reader = context.reader();
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
   * Called when the cache drops the result. Releases its entries, and ends its view unless a
   * version changed in place replaced it.
   */
  void onEvicted(EntryTable table) {
    release(table);
    ResultMaintainer maintainer = watch == null ? null : watch.maintainer();
    if (watch != null && (maintainer == null || maintainer.isCurrent(watch))) {
      watch.view().onEvicted();
    }
  }

  /** Returns the estimated memory of the result in octets, without its entries. */
  static int size(QueryKey key, CachedResult item) {
    int watchSize = item.watch == null ? 0 : item.watch.size();
    int sentSize = Arrays.equals(item.sent, key.values()) ? 0 : item.sent.length;
    int count = item.count();
    int references = (count > 1 ? count * REFERENCE : 0) + arraySize(item.others);
    int formSize = count == 0 ? 0 : item.context.template().formSize(key.values());
    return OVERHEAD
        + key.size()
        + sentSize
        + references
        + watchSize
        + formSize
        + item.context.sizeForEach();
  }

  private static int arraySize(StoredEntry[] reads) {
    return reads.length == 0 ? 0 : ARRAY + reads.length * REFERENCE;
  }

  /** Returns what the simulation of other cache sizes needs. */
  GhostResult ghost(QueryKey key) {
    return new GhostResult(lastNanos, epoch, watch != null, count(), weight(key, this));
  }

  /** Returns the estimated memory of the result in octets, as if no other result had its reads. */
  static int weight(QueryKey key, CachedResult item) {
    int size = size(key, item);
    int count = item.count();
    for (int index = 0; index < count; index++) {
      size += item.entry(index).size();
    }
    for (StoredEntry other : item.others) {
      size += other.size();
    }
    return size;
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
    static final int OCTETS = 24;

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

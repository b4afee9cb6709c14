// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.ghost.CacheSimulation;
import io.stoa.cache.ghost.LargeAnswers;
import io.stoa.cache.memory.BoundedCache;
import io.stoa.cache.memory.BoundedCache.Bounds;
import io.stoa.cache.result.Caches.Dropped;
import io.stoa.cache.result.Explanation.Reason;
import io.stoa.cache.result.Lookup.LookupListener;
import io.stoa.cache.result.StoredEntry.EntryState;
import io.stoa.cache.result.StoredEntry.ReadContext;
import io.stoa.coherence.view.FreshnessGuarantee;
import io.stoa.coherence.view.View;
import io.stoa.coherence.view.ViewState;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.Request;
import io.stoa.operation.EnumCounters;
import io.stoa.operation.ReadSource;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiPredicate;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The filter cache (the results of requests) and the entry cache (the entries of all results).
 *
 * <p>Results are evicted, and their entries with the last of them. A result counts for the bounds
 * with all its entries, even if it shares them.
 *
 * <p>Threading: thread-safe.
 */
final class ResultStore {
  private static final StoredEntry[] NO_ENTRIES = {};

  private final BoundedCache<QueryKey, CachedResult> items;
  private final EntryTable entries = new EntryTable();

  /** Maximum number of entries of all results, and so of each. */
  private volatile int maxEntries;

  private final CacheEpoch epoch;
  private final EnumCounters<CacheEvent> counters;
  private final LongSupplier clock;
  private final ContextTable contexts = new ContextTable();
  private final CacheSimulation simulation;
  private final LargeAnswers largeAnswers = new LargeAnswers();

  ResultStore(
      CacheConfig config,
      long maxBytes,
      CacheEpoch epoch,
      EnumCounters<CacheEvent> counters,
      LongSupplier clock) {
    this.clock = clock;
    this.maxEntries = config.entryCacheSize();
    this.items =
        new BoundedCache<>(
            bounds(config, maxBytes),
            CachedResult::weight,
            CachedResult::count,
            item -> item.onEvicted(entries));
    this.epoch = epoch;
    this.counters = counters;
    this.simulation =
        new CacheSimulation(config.filterCacheSize(), config.entryCacheSize(), this::searches);
  }

  private long searches() {
    return counters.get(CacheEvent.HIT) + counters.get(CacheEvent.MISS);
  }

  private static Bounds bounds(CacheConfig config, long maxBytes) {
    return new Bounds(config.filterCacheSize(), config.entryCacheSize(), maxBytes);
  }

  /** Evicts until the new bounds hold. */
  void setBounds(CacheConfig config, long maxBytes) {
    maxEntries = config.entryCacheSize();
    items.setBounds(bounds(config, maxBytes));
    simulation.setSizes(config.filterCacheSize(), config.entryCacheSize());
  }

  /**
   * Returns the answer to a request, or null. All parts must be stored, and none may be too old.
   */
  @Nullable CachedAnswer find(Lookup lookup, LookupListener lookupListener) {
    CachedResult item = lookupListener.item(items, lookup);
    if (item == null || item.isReleased()) {
      lookupListener.onReason(Reason.NOT_STORED);
      return null;
    }
    CachedAnswer answer = new CachedAnswer(lookup, item, decisionTime(lookup, item));
    if (!answer.isServable()) {
      lookupListener.onReason(item.reasonNotServable(lookup.epoch(), answer.now()));
      return null;
    }
    if (!answer.meetsSizeLimit()) {
      lookupListener.onReason(Reason.SIZE_LIMIT);
      return null;
    }
    lookupListener.onCandidate(lookup, item, answer.count());
    answer.reportBound(lookupListener);
    if (!answer.assemble(this, lookupListener)) {
      counters.add(CacheEvent.ENTRY_MISS, lookupListener.isCounted() ? 1 : 0);
      lookupListener.onReason(Reason.ENTRY_MISSING);
      return null;
    }
    if (lookupListener.isCounted()) {
      counters.add(CacheEvent.ENTRY_HIT, answer.count());
      item.countHit(lookup.now());
    }
    return answer;
  }

  /**
   * Returns the time of the decision to serve a result. A lease may have ended since the request
   * was received, so a result of a feed needs the present time. Other results age by the request.
   */
  private long decisionTime(Lookup lookup, CachedResult item) {
    return item.watch() == null ? lookup.now() : clock.getAsLong();
  }

  /**
   * Returns the proof of freshness that the result needs before it is served; null if it needs
   * none.
   */
  FreshnessGuarantee.@Nullable Proof proof(Lookup lookup) {
    CachedResult item = items.peek(lookup);
    View view = item == null || item.watch() == null ? null : item.watch().view();
    return view == null || view.state() != ViewState.VALID ? null : view.proof();
  }

  /** Stores the result of a request that was sent at the time of the lookup. */
  void store(Fill fill, List<ReadSource> sources, List<EncodedResponse> found, Result result) {
    Lookup lookup = fill.lookup();
    Lookup.Origin origin = Lookup.Origin.of(lookup, sources);
    CachedResult.TrackedView watch = result.watch();
    if (found.size() > maxEntries) {
      remove(lookup); // an earlier result is of no use: the directory now answers otherwise
      if (watch != null) {
        watch.view().onEvicted();
      }
      return;
    }
    CachedResult item =
        CachedResult.read(fill, add(lookup, origin, found, watch), result, origin, contexts);
    items.reserve(contexts.templateOctets());
    if (simulation.isSampled(lookup.hash())) {
      simulation.onRead(lookup.ghost(), item.ghost(lookup));
    }
    CachedResult stored = put(fill, item);
    if (stored == null) {
      item.onEvicted(entries);
    } else if (watch != null && !stored.isHeldBy(watch.view())) {
      watch.view().onEvicted();
    }
    if (watch != null && watch.view().isInvalid()) {
      removeInvalidated(
          lookup, watch.view()); // a change may have arrived before the result was stored
    }
  }

  /** Returns the result that is stored then: this one, or a later one; null if nothing is kept. */
  private @Nullable CachedResult put(Fill fill, CachedResult item) {
    long oldest = fill.lookup().oldestNanos();
    return items.putIfAbsent(fill.key(), item)
        ? item
        : items.compute(fill.key(), (same, earlier) -> later(item, earlier, oldest));
  }

  /** Returns the later of two results, and releases the entries of a new one that is not. */
  private CachedResult later(CachedResult item, @Nullable CachedResult earlier, long oldestNanos) {
    CachedResult later = earlier == null ? item : item.replacing(earlier, oldestNanos, entries);
    if (later == earlier) {
      item.release(entries);
    }
    return later;
  }

  private StoredEntry[] add(
      Lookup lookup,
      Lookup.Origin origin,
      List<EncodedResponse> found,
      CachedResult.@Nullable TrackedView watch) {
    if (found.isEmpty()) {
      return NO_ENTRIES;
    }
    ReadContext context = contexts.context(lookup, origin);
    StoredEntry[] added = new StoredEntry[found.size()];
    for (int i = 0; i < added.length; i++) {
      EntryState state = watch == null ? EntryState.UNKNOWN : EntryState.of(watch, i);
      byte[] op = found.get(i).op();
      added[i] = entries.add(new StoredEntry(context, op, origin.epoch(), origin.asOf(), state));
    }
    return added;
  }

  /**
   * The parts of a result besides its entries.
   *
   * <p>Threading: immutable.
   *
   * @param done the final response
   * @param watch the view by which a feed holds it; null if none does
   */
  record Result(EncodedResponse done, CachedResult.@Nullable TrackedView watch) {}

  /** Returns the stored result without counting a use, or null. */
  @Nullable CachedResult peek(QueryKey key) {
    return items.peek(key);
  }

  /** Drops a result. */
  void remove(QueryKey key) {
    items.removeIf(key, item -> true);
  }

  /**
   * Drops the result of an invalidated view, unless another result has replaced it.
   *
   * @return the dropped result, or null
   */
  @Nullable CachedResult removeInvalidated(QueryKey key, View view) {
    CachedResult item = items.peek(key);
    items.removeIf(key, one -> one.isHeldBy(view));
    simulation.onInvalidated(key.hashCode());
    return item != null && item.isHeldBy(view) ? item : null;
  }

  /** Drops the matching results, and the entries that no other result holds. */
  Dropped drop(BiPredicate<QueryKey, CachedResult> results) {
    long before = entries.count();
    long dropped = items.drop(results);
    contexts.clear();
    return new Dropped(dropped, Math.max(0, before - entries.count()));
  }

  /** Drops results that can never be served again. */
  void sweep(long oldestNanos) {
    long now = clock.getAsLong(); // the epoch is read for each: newer results are stored meanwhile
    items.removeIf(item -> item.isUnservable(epoch.epoch(), oldestNanos, now));
  }

  /** Counts a lookup with an answer. */
  void countHit(Lookup lookup, CachedAnswer answer) {
    counters.increment(CacheEvent.lookup(lookup.isSearch(), true));
    if (simulation.isSampled(lookup.hash())) {
      simulation.onHit(lookup.ghost(), answer.item().ghost(lookup));
    }
  }

  /** Counts a lookup without an answer. */
  void countMiss(Lookup lookup) {
    counters.increment(CacheEvent.lookup(lookup.isSearch(), false));
    if (simulation.isSampled(lookup.hash())) {
      simulation.onMiss(lookup.ghost());
    }
  }

  /** Counts an answer that is too large to be stored. */
  void countLarge(Lookup lookup, boolean held, int count, long octets) {
    largeAnswers.add(lookup.ghost(), held, count, octets);
  }

  /** Returns the answers that are too large to be stored. */
  LargeAnswers largeAnswers() {
    return largeAnswers;
  }

  /** Returns the estimates for other sizes. */
  CacheSimulation simulation() {
    return simulation;
  }

  /** Returns the time by which stored data ages. */
  long now() {
    return clock.getAsLong();
  }

  BoundedCache<QueryKey, CachedResult> items() {
    return items;
  }

  EntryTable entries() {
    return entries;
  }

  /** Returns the estimated size of results, their templates and entries in octets. */
  long bytes() {
    return items.bytes() + contexts.templateOctets();
  }

  /**
   * Serves stale results while no directory server is usable. Only age is forgiven: invalidated
   * results stay invalid, and each identity still gets only its own or shared results.
   *
   * <p>Threading: thread-safe.
   */
  static final class StaleAnswers {
    private static final Logger LOG = LoggerFactory.getLogger(StaleAnswers.class);

    private final ResultStore store;
    private final Supplier<Duration> serveStale;
    private final Caches.Outages outages;
    private final AtomicBoolean logged = new AtomicBoolean();
    private final LongAdder served = new LongAdder();
    private volatile long servedBefore;

    /**
     * Creates the stale store.
     *
     * @param serveStale time beyond the maximum age for which answers are served; 0 serves none
     * @param outages directories without a usable server
     */
    StaleAnswers(ResultStore store, Supplier<Duration> serveStale, Caches.Outages outages) {
      this.store = store;
      this.serveStale = serveStale;
      this.outages = outages;
    }

    /** Returns the stale answer to a request, or null. */
    @Nullable CachedAnswer find(Lookup lookup, Request request, LookupListener lookupListener) {
      long serveStaleNanos = serveStale.get().toNanos();
      return serveStaleNanos == 0 || !outages.affects(request)
          ? null
          : store.find(lookup.acceptingStale(serveStaleNanos), lookupListener);
    }

    /** Called when a stale answer has been served. */
    void onServed() {
      logOutage();
      served.increment();
    }

    private void logOutage() {
      if (!logged.get() && logged.compareAndSet(false, true)) {
        servedBefore = served.sum();
        LOG.warn(
            "no directory server is usable: serving stale results up to {} ms beyond "
                + "cache.maxAge (cache.serveStale)",
            serveStale.get().toMillis());
      }
    }

    /** Called when the state of a server has changed. Logs the end of the outage. */
    void onServerChange() {
      if (logged.get() && !outages.hasAny() && logged.compareAndSet(true, false)) {
        long answers = served.sum() - servedBefore;
        LOG.info(
            "a directory server is usable again: stale results were served during the outage "
                + "(count={})",
            answers);
      }
    }

    /** Returns the number of stale answers since the start. */
    long served() {
      return served.sum();
    }
  }
}

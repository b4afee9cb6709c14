// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.ghost.CacheSimulation;
import io.stoa.cache.ghost.LargeAnswers;
import io.stoa.cache.result.CacheConfig.Invalidation;
import io.stoa.cache.result.Explanation.Reason;
import io.stoa.cache.result.Lookup.LookupListener;
import io.stoa.cache.result.ResultStore.Result;
import io.stoa.cache.result.ResultStore.StaleAnswers;
import io.stoa.cache.sharing.ClassMember;
import io.stoa.cache.sharing.ClassTable;
import io.stoa.cache.sharing.EqualAnswers;
import io.stoa.coherence.tracking.CoherenceDomains;
import io.stoa.coherence.view.View;
import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.ChangeListener;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.operation.EnumCounters;
import io.stoa.operation.Operation;
import io.stoa.operation.ReadSource;
import io.stoa.operation.digest.DigestTable;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntUnaryOperator;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The stored results, the rules by which they were stored, and their invalidation. Shared by the
 * cache stages of all event loops.
 *
 * <p>Threading: thread-safe.
 */
public final class Caches {
  /** Divisor of the memory bound: a 32nd is for identities. */
  private static final int IDENTITY_SHARE = 32;

  /** Divisor of the memory bound: an eighth is for templates. */
  private static final int TEMPLATE_SHARE = 8;

  private volatile CacheConfig config;
  private final ClockAndRandom clockAndRandom;
  private final CacheEpoch epoch;
  private final EnumCounters<CacheEvent> counters = new EnumCounters<>(CacheEvent.class);
  private final ResultStore store;
  private final StaleAnswers outage;
  private final Fill.FillTable fills = new Fill.FillTable();
  private final CacheEpoch.Applier changes;
  private final ResultMaintainer.LargestResults largestResults =
      new ResultMaintainer.LargestResults();
  private final ClassTable classes;
  private final DigestTable digests = new DigestTable();
  private final EqualAnswers equalAnswers = new EqualAnswers();
  private volatile CacheGeneration generation;
  private volatile boolean enabled;
  private volatile CoherenceDomains domains = CoherenceDomains.NONE;
  private volatile RefreshListener refreshListener = RefreshListener.NONE;

  /**
   * Creates empty caches for a directory whose schema is not known yet.
   *
   * @param pause time for which nothing is stored after a write with unknown outcome
   * @param outages directories without a usable server
   */
  public Caches(
      CacheConfig config,
      Supplier<Duration> pause,
      Outages outages,
      ClockAndRandom clockAndRandom) {
    LongSupplier clock = clockAndRandom.clock();
    this.config = config;
    this.clockAndRandom = clockAndRandom;
    this.epoch = new CacheEpoch(clock);
    this.classes = new ClassTable(bounds(config), config.sharing(), clock, clockAndRandom.random());
    this.store = new ResultStore(config, storeBytes(config), epoch, counters, clock);
    this.outage = new StaleAnswers(store, () -> this.config.serveStale(), outages);
    this.changes = new CacheEpoch.Applier(epoch, pause, clock);
    this.generation = generation(1, ServerProfile.EXACT);
    this.enabled = config.enabled();
    classes.onDropped(this::forget);
    classes.verifier().setRightsChanges(() -> domains().rightsChanges());
  }

  /**
   * Clock and random source of the caches and of their maintenance.
   *
   * <p>Threading: immutable.
   *
   * @param clock time in ns, as {@link System#nanoTime}
   * @param random random number from 0 to below its argument
   */
  public record ClockAndRandom(LongSupplier clock, IntUnaryOperator random) {
    /** The clock of the process and an unpredictable random source. */
    public static final ClockAndRandom SYSTEM = withClock(System::nanoTime);

    /** Returns another clock with the same random source. */
    public static ClockAndRandom withClock(LongSupplier clock) {
      return new ClockAndRandom(clock, below -> ThreadLocalRandom.current().nextInt(below));
    }
  }

  /**
   * Reference to a stored result, for refresh and audit.
   *
   * <p>Threading: immutable, except for the view.
   *
   * @param request the octets of the request without the messageID
   * @param partition key of the identities that share the result: see {@link #partitions}
   * @param reader {@link ClientIdentity#name} that read the result, if a class shares it; else null
   * @param view validity of the result
   */
  public record CachedResultRef(
      Octets request, Octets partition, @Nullable Octets reader, View view) {}

  /** Listener that refreshes popular results. Must not block. Threading: thread-safe. */
  public interface RefreshListener {
    /** Ignores all events. */
    RefreshListener NONE =
        new RefreshListener() {
          @Override
          public void onHotInvalidated(CachedResultRef hot) {
            // the next client request reads the result again
          }

          @Override
          public void onHotExpiring(ClientSession session, Octets request) {
            // the next client request reads the result again
          }
        };

    /** Called on any thread when a change has invalidated a hot result. */
    void onHotInvalidated(CachedResultRef hot);

    /** Called on the session's event loop after a hit of a hot result that is about to expire. */
    void onHotExpiring(ClientSession session, Octets request);
  }

  /** Number of dropped results and entries. Threading: immutable. */
  public record Dropped(long results, long entries) {}

  /** Directories without a usable server. Threading: thread-safe. */
  public interface Outages {
    /** True if no directory that the request concerns has a usable server. */
    boolean affects(Request request);

    /** True if any directory has no usable server. */
    boolean hasAny();
  }

  private CacheGeneration generation(int number, ServerProfile profile) {
    return new CacheGeneration(number, profile, config, templateBytes(config));
  }

  private static long templateBytes(CacheConfig config) {
    return config.effectiveMaxBytes() / TEMPLATE_SHARE;
  }

  private static ClassTable.Bounds bounds(CacheConfig config) {
    return new ClassTable.Bounds(
        config.aclCache(), config.aclCacheSize(), config.effectiveMaxBytes() / IDENTITY_SHARE);
  }

  /** The results have what templates and identities leave. */
  private static long storeBytes(CacheConfig config) {
    return config.effectiveMaxBytes() - templateBytes(config) - bounds(config).octets();
  }

  /**
   * Applies new sizes and rules. A smaller cache evicts what exceeds its bounds. If the rules of
   * what may be stored differ, all stored results are invalidated. The sharing classes stay
   * unchanged.
   */
  public synchronized void configure(CacheConfig wanted) {
    CacheConfig before = config;
    CacheConfig next = wanted.sharing(before.sharing());
    config = next;
    store.setBounds(next, storeBytes(next));
    classes.setBounds(bounds(next));
    if (next.sameRules(before)) {
      generation.setBounds(next, templateBytes(next));
    } else {
      setProfile(generation.profile());
    }
    if (next.enabled() != before.enabled()) {
      setEnabled(next.enabled());
    }
  }

  /** Sets the feeds that can hold the results of later fills. */
  public void setDomains(CoherenceDomains now) {
    domains = now;
  }

  /** Returns the clock and random source, for refresh and audit. */
  public ClockAndRandom clockAndRandom() {
    return clockAndRandom;
  }

  /** Returns the time in ns, as {@link System#nanoTime}. */
  long now() {
    return clockAndRandom.clock().getAsLong();
  }

  /** Sets the listener that refreshes popular results. */
  public void setRefreshListener(RefreshListener listener) {
    refreshListener = listener;
  }

  /** Returns the results that a feed holds now. Without a feed, no stored result is examined. */
  public ResultsHeldByFeed resultsHeldByFeed() {
    boolean fed = !domains().all().isEmpty();
    return new ResultsHeldByFeed(
        fed ? store.items().iterator() : Collections.emptyIterator(), clockAndRandom.clock());
  }

  static Optional<CachedResultRef> refOf(QueryKey key, CachedResult item) {
    CachedResult.TrackedView watch = item.watch();
    ClassMember reader = item.reader();
    Octets name = reader == null ? null : reader.identity();
    return watch == null
        ? Optional.empty()
        : Optional.of(new CachedResultRef(item.requestBody(), key.partition(), name, watch.view()));
  }

  /** Returns the partitions of an identity: its own, and those that it shares. */
  public Set<Octets> partitions(ClientIdentity identity) {
    return classes.partitions(identity.name(), now());
  }

  /** True if values of the attribute, named by its description, are never stored. */
  public boolean isSecret(byte[] attribute) {
    return generation.cacheability().isSecret(attribute);
  }

  /** Returns the listener for writes that go through Stoa. */
  public ChangeListener changes() {
    return changes;
  }

  /** Called when the directory's schema or kind changed. Invalidates all stored results. */
  public synchronized void setProfile(ServerProfile profile) {
    // Rules first, then the epoch: a reader of the new epoch sees the new rules.
    generation = generation(generation.number() + 1, profile);
    classes.setProfile(profile);
    epoch.end();
    epoch.rejectEarlierFills();
  }

  /** Switches all caching on or off. Earlier results are dropped. */
  public void setEnabled(boolean on) {
    enabled = on;
    flush();
  }

  /** Drops all stored results. Fills in flight are not stored either. */
  public Dropped flush() {
    epoch.end();
    epoch.rejectEarlierFills();
    store.simulation().clear();
    return store.drop((key, item) -> true);
  }

  /**
   * Drops all results that show, or could show, an entry. Fills in flight are not stored either,
   * whatever they read.
   *
   * @param dn the entry
   * @param subtree true to include all entries below it
   * @throws IllegalArgumentException if {@code dn} is no DN
   */
  public Dropped flush(byte[] dn, boolean subtree) {
    ServerProfile profile = generation.profile();
    InvalidationScope region = new InvalidationScope(dn(dn, profile), subtree, profile);
    epoch.rejectEarlierFills();
    return store.drop(region::concerns);
  }

  /**
   * Drops all results of an identity. Fills in flight of any identity are not stored either.
   *
   * @param name its DN; empty for anonymous clients
   * @throws IllegalArgumentException if {@code name} is no DN
   */
  public Dropped flushIdentity(byte[] name) {
    ServerProfile profile = generation.profile();
    NormalDn dn = dn(name, profile);
    Set<Octets> partitions =
        classes.forget(
            identity -> InvalidationScope.mayBe(ClientIdentity.dnOf(identity), dn, profile));
    if (dn.isRoot()) {
      partitions.add(Octets.EMPTY);
    }
    return forget(partitions);
  }

  /** Drops all results of the partitions. Fills in flight of any identity are not stored either. */
  private Dropped forget(Set<Octets> partitions) {
    epoch.rejectEarlierFills();
    return store.drop((key, item) -> partitions.contains(key.partition()));
  }

  private static NormalDn dn(byte[] name, ServerProfile profile) {
    NormalDn dn = NormalDn.of(name, profile);
    if (!dn.isDn()) {
      throw new IllegalArgumentException("the name is not a valid DN");
    }
    return dn;
  }

  /** Drops results that can never be served again, to free memory. Must be called periodically. */
  public void sweep() {
    Duration oldest = config.maxAge().plus(config.serveStale());
    store.sweep(now() - oldest.toNanos());
  }

  /** Called when the state of a directory server has changed. */
  public void onServerChange() {
    outage.onServerChange();
  }

  /** Returns the number of fills in flight that can be joined. */
  public int fillsInFlight() {
    return fills.size();
  }

  /** Returns the state and counters of the caches. */
  public CacheStats stats() {
    return new CacheStats(
        enabled,
        counters.get(CacheEvent.HIT),
        counters.get(CacheEvent.MISS),
        counters.get(CacheEvent.BYPASSED),
        store.items().count(),
        store.items().maxEntries(),
        counters.get(CacheEvent.ENTRY_HIT),
        counters.get(CacheEvent.ENTRY_MISS),
        store.entries().count(),
        config.entryCacheSize(),
        config.bypassLimit(),
        store.bytes() + generation.bytes() + classes.bytes(),
        config.effectiveMaxBytes(),
        counters.get(CacheEvent.COMPARE_HIT),
        counters.get(CacheEvent.COMPARE_MISS),
        counters.get(CacheEvent.FILL),
        counters.get(CacheEvent.FILL_DISCARDED),
        counters.get(CacheEvent.JOINED),
        store.items().evictions(),
        epoch.endedEpochs(),
        outage.served(),
        classes.isEnabled(),
        classes.maxEntries(),
        classes.count(),
        classes.status(now()));
  }

  /** Returns the estimates for other cache sizes. */
  public CacheSimulation simulation() {
    return store.simulation();
  }

  /** Returns the answers that are too large to be stored. */
  public LargeAnswers largeAnswers() {
    return store.largeAnswers();
  }

  /** Returns the comparisons of the answers to different identities. */
  public EqualAnswers equalAnswers() {
    return equalAnswers;
  }

  /** Returns the statistics of searches by their patterns. */
  public DigestTable digests() {
    return digests;
  }

  // Used by stages and fills.

  /** Returns the current configuration. */
  public CacheConfig config() {
    return config;
  }

  /** Returns the feeds that can hold results; none if each change invalidates everything. */
  public CoherenceDomains domains() {
    return voidsEverything() ? CoherenceDomains.NONE : domains;
  }

  private boolean voidsEverything() {
    return config.invalidation() == Invalidation.EVERYTHING;
  }

  /** Called when a feed has reported a change or a gap. */
  public void onFeedChange() {
    if (voidsEverything()) {
      epoch.end();
    }
  }

  /** Returns the table of identities and sharing classes. */
  public ClassTable classes() {
    return classes;
  }

  CacheGeneration generation() {
    return generation;
  }

  CacheEpoch epoch() {
    return epoch;
  }

  EnumCounters<CacheEvent> counters() {
    return counters;
  }

  ResultStore store() {
    return store;
  }

  /** Returns the largest results that the directory has returned. */
  ResultMaintainer.LargestResults largestResults() {
    return largestResults;
  }

  /** Called when a change has invalidated a result. Reports a hot one to the refresh listener. */
  void onInvalidated(QueryKey key, View view) {
    CachedResult item = store.removeInvalidated(key, view);
    if (item != null && item.isHot(now())) {
      refOf(key, item).ifPresent(refreshListener::onHotInvalidated);
    }
  }

  /** Called after a hit that is about to expire. Reports a hot one to the refresh listener. */
  void onExpiringHit(CachedResult item, ClientSession session) {
    if (item.tryStartRefresh(now())) {
      refreshListener.onHotExpiring(session, item.requestBody());
    }
  }

  /** Returns a stale answer if no server is usable and the configuration allows it; else null. */
  @Nullable CachedAnswer stale(Lookup lookup, Operation operation, LookupListener lookupListener) {
    return config.serveStale().toNanos() > 0
        ? outage.find(lookup, operation.request(), lookupListener)
        : null;
  }

  /** Called when a stale answer has been served. */
  void onStaleServed() {
    outage.onServed();
  }

  Fill.FillTable fills() {
    return fills;
  }

  /** True if caching is on and not suspended by a write with unknown outcome. */
  boolean isUsable(long now, LookupListener lookupListener) {
    boolean on = enabled && config.filterCacheSize() > 0;
    if (!on || epoch.isSuspended(now)) {
      lookupListener.onReason(on ? Reason.SUSPENDED : Reason.DISABLED);
      return false;
    }
    return true;
  }

  /** Called when a fill has read a whole result. Stores it if nothing forbids. */
  void onFilled(Fill fill, List<ReadSource> sources, List<EncodedResponse> found, Result result) {
    ClassMember reader = fill.lookup().sharingClass().reader();
    boolean withheld = reader != null && reader.isSuspended();
    boolean kept = !withheld && epoch.beginStore(fill.flushes());
    if (kept) {
      try {
        store.store(fill, sources, found, result);
      } finally {
        epoch.endStore();
      }
    }
    counters.increment(kept ? CacheEvent.FILL : CacheEvent.FILL_DISCARDED);
    fills.end(fill);
    if (!kept && result.watch() != null) {
      result.watch().view().onEvicted();
    }
  }

  /** Called when a fill has ended without a result that may be stored. */
  void onDiscarded(Fill fill) {
    counters.increment(CacheEvent.FILL_DISCARDED);
    fills.end(fill);
  }
}

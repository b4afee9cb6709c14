// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.result.CacheConfig.Invalidation;
import io.stoa.cache.result.Explanation.Reason;
import io.stoa.cache.result.Lookup.Look;
import io.stoa.cache.result.ResultStore.Answer;
import io.stoa.cache.result.ResultStore.FilledEntry;
import io.stoa.cache.result.ResultStore.Outage;
import io.stoa.cache.result.ResultStore.Result;
import io.stoa.cache.sharing.ClassMember;
import io.stoa.cache.sharing.ClassTable;
import io.stoa.coherence.tracking.CoherenceDomains;
import io.stoa.coherence.view.View;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.ChangeListener;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Operation;
import io.stoa.operation.ReadFrom;
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
 * What the cache stages of all event loops share: the stored results, the rules by which they were
 * stored, and what makes them void. Thread-safe.
 */
public final class Caches {
  /** The plan cache gets an eighth of the memory, filter cache and entry cache the rest. */
  private static final int PLAN_SHARE = 8;

  private volatile CacheConfig config;
  private final Means means;
  private final CacheEpoch validity;
  private final CacheStats.Counters counters = new CacheStats.Counters();
  private final ResultStore store;
  private final Outage outage;
  private final Fill.Table fills = new Fill.Table();
  private final CacheEpoch.Applier changes;
  private final ResultMaintainer.Given given = new ResultMaintainer.Given();
  private final ClassTable classes;
  private volatile CacheGeneration generation;
  private volatile boolean enabled;
  private volatile CoherenceDomains realms = CoherenceDomains.NONE;
  private volatile Caretaker caretaker = Caretaker.NONE;

  /**
   * Makes empty caches for a directory of which nothing is known yet.
   *
   * @param pause how long nothing is stored after a change whose outcome is unknown
   * @param outages which directories have no server that can be used
   */
  public Caches(CacheConfig config, Supplier<Duration> pause, Outages outages, Means means) {
    LongSupplier clock = means.clock();
    this.config = config;
    this.means = means;
    this.validity = new CacheEpoch(clock);
    this.classes = new ClassTable(bounds(config), config.sharing(), clock, means.dice());
    this.store = new ResultStore(config, storeBytes(config), validity, counters, clock);
    this.outage = new Outage(store, () -> this.config.serveStale(), outages);
    this.changes = new CacheEpoch.Applier(validity, pause, clock);
    this.generation = generation(1, ServerProfile.EXACT);
    this.enabled = config.enabled();
    classes.onVoid(this::forget);
  }

  /**
   * What the caches work with, and whatever looks after them. Immutable.
   *
   * @param clock in the time of {@link System#nanoTime}
   * @param dice throws a number below one that it is given
   */
  public record Means(LongSupplier clock, IntUnaryOperator dice) {
    /** The clock of the process, and dice that nobody can foresee. */
    public static final Means OWN = by(System::nanoTime);

    /** With those dice and another clock. */
    public static Means by(LongSupplier clock) {
      return new Means(clock, below -> ThreadLocalRandom.current().nextInt(below));
    }
  }

  /**
   * A stored result, for whoever looks after it. Immutable, but for the view.
   *
   * @param request the octets of the request that it answers, without the messageID
   * @param partition for whom it is kept: see {@link #partitions}
   * @param reader as whom it was read, if it is kept for many: see {@link ClientIdentity#name};
   *     else null
   * @param view what it rests on
   */
  public record Kept(Octets request, Octets partition, @Nullable Octets reader, View view) {}

  /** Who looks after what is stored. Thread-safe; must not block. */
  public interface Caretaker {
    /** Nobody does. */
    Caretaker NONE =
        new Caretaker() {
          @Override
          public void killed(Kept hot) {
            // A client will ask for it.
          }

          @Override
          public void aging(ClientSession session, Octets request) {
            // Likewise.
          }
        };

    /** A change has made void what is used a lot. Called on any thread. */
    void killed(Kept hot);

    /** What is used a lot is soon too old; it has just been given. Called on the session's loop. */
    void aging(ClientSession session, Octets request);
  }

  /** How much was dropped. Immutable. */
  public record Dropped(long results, long entries) {}

  /** Which directories have no server that can be used. Thread-safe. */
  public interface Outages {
    /** Whether none of the directories that a request is about has a server that can be used. */
    boolean concern(Request request);

    /** Whether any directory has none. */
    boolean any();
  }

  private CacheGeneration generation(int number, ServerProfile profile) {
    return new CacheGeneration(number, profile, config, planBytes(config));
  }

  private static long planBytes(CacheConfig config) {
    return config.effectiveMaxBytes() / PLAN_SHARE;
  }

  /** A thirty-second of what the caches may take is for who the clients are. */
  private static ClassTable.Bounds bounds(CacheConfig config) {
    return new ClassTable.Bounds(
        config.aclCache(), config.aclCacheSize(), config.effectiveMaxBytes() / 32);
  }

  private static long storeBytes(CacheConfig config) {
    return config.effectiveMaxBytes() - planBytes(config);
  }

  /**
   * From now on these sizes and rules hold. What a smaller cache has no room for is dropped; if the
   * rules of what may be stored differ, all that was stored before is void. Who shares what is
   * stored stays as it was.
   */
  public synchronized void configure(CacheConfig wanted) {
    CacheConfig before = config;
    CacheConfig next = wanted.sharing(before.sharing());
    config = next;
    store.bounds(next, storeBytes(next));
    classes.bounds(bounds(next));
    if (next.sameRules(before)) {
      generation.bounds(next, planBytes(next));
    } else {
      profile(generation.profile());
    }
    if (next.enabled() != before.enabled()) {
      enabled(next.enabled());
    }
  }

  /** Results that are read from now on rest on these feeds where they can. */
  public void realms(CoherenceDomains now) {
    realms = now;
  }

  /** For whoever looks after what is stored. */
  public Means means() {
    return means;
  }

  /** In the time of {@link System#nanoTime}. */
  long now() {
    return means.clock().getAsLong();
  }

  /** From now on somebody looks after what is stored. */
  public void caretaker(Caretaker own) {
    caretaker = own;
  }

  /** The results that rest on a feed now; without a feed no stored result is looked at. */
  public VouchedResults vouched() {
    boolean fed = !realms().all().isEmpty();
    return new VouchedResults(
        fed ? store.items().each() : Collections.emptyIterator(), means.clock());
  }

  static Optional<Kept> kept(QueryKey key, CachedResult item) {
    CachedResult.Watch watch = item.watch();
    ClassMember reader = item.reader();
    Octets name = reader == null ? null : reader.identity();
    return watch == null || item.request().length() == 0
        ? Optional.empty()
        : Optional.of(new Kept(item.request(), key.partition(), name, watch.view()));
  }

  /** For whom what an identity reads is kept: itself, and those with whom it shares some of it. */
  public Set<Octets> partitions(ClientIdentity identity) {
    return classes.partitions(identity.name(), now());
  }

  /** Whether values of an attribute are never stored, by its description. */
  public boolean isSecret(byte[] attribute) {
    return generation.cacheability().isSecret(attribute);
  }

  /** Takes the changes that go through Stoa. */
  public ChangeListener changes() {
    return changes;
  }

  /** What is known of the directory has changed: all that was stored before is void. */
  public synchronized void profile(ServerProfile profile) {
    // First the rules, then the epoch: who has read the new epoch sees the new rules.
    generation = generation(generation.number() + 1, profile);
    classes.profile(profile);
    validity.end();
    validity.flush();
  }

  /** Switches all caching on or off; what was stored while it was on is void afterwards. */
  public void enabled(boolean on) {
    enabled = on;
    flush();
  }

  /** Drops all that is stored; what is under way is not stored either. */
  public Dropped flush() {
    validity.end();
    validity.flush();
    return store.drop((key, item) -> true, key -> true);
  }

  /**
   * Drops whatever shows, or could show, an entry; what is under way is not stored either, whatever
   * it is.
   *
   * @param dn the entry
   * @param subtree whether all below it is meant, too
   * @throws IllegalArgumentException if it is no DN
   */
  public Dropped flush(byte[] dn, boolean subtree) {
    ServerProfile profile = generation.profile();
    InvalidationScope region = new InvalidationScope(dn(dn, profile), subtree, profile);
    validity.flush();
    return store.drop(region::concerns, key -> region.holds(key.dn()));
  }

  /**
   * Drops whatever is stored for an identity; what is under way is not stored either, whosever it
   * is.
   *
   * @param name its DN; empty for anonymous clients
   * @throws IllegalArgumentException if it is no DN
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

  /** Drops what is stored under these; what is under way is not stored either, whosever it is. */
  private Dropped forget(Set<Octets> partitions) {
    validity.flush();
    return store.drop(
        (key, item) -> partitions.contains(key.partition()),
        key -> partitions.contains(key.partition()));
  }

  private static NormalDn dn(byte[] name, ServerProfile profile) {
    NormalDn dn = NormalDn.of(name, profile);
    if (!dn.isDn()) {
      throw new IllegalArgumentException("no DN");
    }
    return dn;
  }

  /** Drops what can never be served again, to free its memory. To be called now and then. */
  public void sweep() {
    Duration oldest = config.maxAge().plus(config.serveStale());
    store.sweep(now() - oldest.toNanos());
  }

  /** The state of a directory server has changed. */
  public void serverMoved() {
    outage.check();
  }

  /** Searches under way upstream that can be joined. */
  public int fillsInFlight() {
    return fills.size();
  }

  /** The caches as they are now. */
  public CacheStats stats() {
    return new CacheStats(
        enabled,
        counters.hits.sum(),
        counters.misses.sum(),
        counters.bypassed.sum(),
        store.items().count(),
        store.items().maxEntries(),
        counters.entryHits.sum(),
        counters.entryMisses.sum(),
        store.entries().count(),
        store.entries().maxEntries(),
        config.bypassLimit(),
        store.items().bytes() + store.entries().bytes() + generation.bytes(),
        config.effectiveMaxBytes(),
        counters.compareHits.sum(),
        counters.compareMisses.sum(),
        counters.fills.sum(),
        counters.fillsDiscarded.sum(),
        counters.joined.sum(),
        store.items().evictions() + store.entries().evictions(),
        validity.endings(),
        outage.served(),
        classes.enabled(),
        classes.maxEntries(),
        classes.count(),
        classes.status(now()));
  }

  // What the stages and fills use

  /** By what it is bounded now. */
  public CacheConfig config() {
    return config;
  }

  /** The feeds on which results rest. */
  public CoherenceDomains realms() {
    return voidsEverything() ? CoherenceDomains.NONE : realms;
  }

  private boolean voidsEverything() {
    return config.invalidation() == Invalidation.EVERYTHING;
  }

  /** A feed has told of a change, or that it has missed some. */
  public void toldOfChange() {
    if (voidsEverything()) {
      validity.end();
    }
  }

  /** Who shares what is stored. */
  public ClassTable classes() {
    return classes;
  }

  CacheGeneration generation() {
    return generation;
  }

  CacheEpoch validity() {
    return validity;
  }

  CacheStats.Counters counters() {
    return counters;
  }

  ResultStore store() {
    return store;
  }

  /** How much the directory has given. */
  ResultMaintainer.Given given() {
    return given;
  }

  /** A change has made a result void: somebody will ask for what is used a lot. */
  void killed(QueryKey key, View view) {
    CachedResult item = store.killed(key, view);
    if (item != null && item.heat().isHot(now())) {
      kept(key, item).ifPresent(caretaker::killed);
    }
  }

  /** What is used a lot is asked for again before it is too old. */
  void aging(CachedResult item, ClientSession session) {
    if (item.request().length() > 0 && item.heat().mayAskAgain(now())) {
      caretaker.aging(session, item.request());
    }
  }

  /** What is too old, but may be given since no server answers; null if there is nothing. */
  @Nullable Answer stale(Lookup lookup, Operation operation, Look look)
      throws LdapProtocolException {
    return config.serveStale().toNanos() > 0
        ? outage.find(lookup, operation.request(), look)
        : null;
  }

  /** Such an answer is given. */
  void gaveStale() {
    outage.gave();
  }

  Fill.Table fills() {
    return fills;
  }

  /** Whether caching is on, and no change is in doubt. */
  boolean usable(long now, Look look) {
    boolean on = enabled && config.filterCacheSize() > 0;
    if (!on || validity.suspended(now)) {
      look.because(on ? Reason.SUSPENDED : Reason.DISABLED);
      return false;
    }
    return true;
  }

  /** A fill has got a whole result. */
  void filled(Fill fill, List<ReadFrom> sources, List<FilledEntry> found, Result result) {
    boolean kept = keep(fill, () -> store.store(fill.lookup(), sources, found, result));
    if (!kept && result.watch() != null) {
      result.watch().view().evicted();
    }
  }

  /** A fill has got a compare's result. */
  void filled(Fill fill, List<ReadFrom> sources, byte[] done) {
    keep(fill, () -> store.store(fill.lookup(), sources, done));
  }

  private boolean keep(Fill fill, Runnable storing) {
    ClassMember reader = fill.lookup().accessClass().reader();
    boolean withheld = reader != null && reader.isHeld();
    boolean kept = !withheld && validity.store(fill.lookup().flushes(), storing);
    (kept ? counters.fills : counters.fillsDiscarded).increment();
    fills.end(fill);
    return kept;
  }

  /** A fill has ended without a result that may be stored. */
  void discarded(Fill fill) {
    counters.fillsDiscarded.increment();
    fills.end(fill);
  }
}

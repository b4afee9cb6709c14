// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.memory.BoundedCache;
import io.stoa.cache.memory.Interner;
import io.stoa.cache.result.Caches.Dropped;
import io.stoa.cache.result.Explanation.Reason;
import io.stoa.cache.result.Lookup.Look;
import io.stoa.cache.result.StoredEntry.State;
import io.stoa.cache.sharing.ClassMember;
import io.stoa.cache.sharing.VerifiableHit.Said;
import io.stoa.coherence.view.FreshnessGuarantee;
import io.stoa.coherence.view.View;
import io.stoa.coherence.view.ViewState;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Request;
import io.stoa.operation.ReadFrom;
import io.stoa.operation.ResponseSink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiPredicate;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The filter cache (which entries match, in order) and the entry cache (what they look like).
 * Thread-safe.
 */
final class ResultStore {
  private static final StoredEntry.Key[] NO_IDS = {};
  private static final StoredEntry.Read[] NO_READS = {};

  private final BoundedCache<QueryKey, CachedResult> items;
  private final BoundedCache<StoredEntry.Key, StoredEntry> entries;
  private final CacheEpoch validity;
  private final CacheStats.Counters counters;
  private final LongSupplier clock;
  private final Interner interner = new Interner();

  ResultStore(
      CacheConfig config,
      long maxBytes,
      CacheEpoch validity,
      CacheStats.Counters counters,
      LongSupplier clock) {
    this.clock = clock;
    this.items =
        new BoundedCache<>(
            config.filterCacheSize(), maxBytes / 2, CachedResult::size, CachedResult::evicted);
    this.entries =
        new BoundedCache<>(config.entryCacheSize(), maxBytes / 2, (key, entry) -> entry.size());
    this.validity = validity;
    this.counters = counters;
  }

  /** Drops what no longer has room. */
  void bounds(CacheConfig config, long maxBytes) {
    items.bounds(config.filterCacheSize(), maxBytes / 2);
    entries.bounds(config.entryCacheSize(), maxBytes / 2);
  }

  /**
   * A whole answer from memory. Immutable.
   *
   * @param entries the entries, encoded
   * @param count how many of them are sent
   * @param done the final response
   * @param sources the servers from which all of it comes, as far as known
   * @param item the result of which it is made
   * @param aging whether that is soon too old
   * @param reads of which its entries are made, if they may have been read for others
   */
  record Answer(
      byte[][] entries,
      int count,
      byte[] done,
      List<ReadFrom> sources,
      CachedResult item,
      boolean aging,
      StoredEntry.Read[] reads) {
    void send(ResponseSink sink) {
      for (int i = 0; i < count; i++) {
        sink.respond(entries[i]);
      }
      sink.complete(done);
    }

    /** The names of those entries that nobody has read: a feed has told them. */
    Set<Octets> told() {
      Set<Octets> told = new HashSet<>();
      for (int i = 0; i < reads.length; i++) {
        if (reads[i].state().told()) {
          told.add(item.ids()[i].dn());
        }
      }
      return told;
    }

    /** As which member each of the entries was read, by their names, where that is known. */
    Map<Octets, ClassMember> readers() {
      Map<Octets, ClassMember> readers = new HashMap<>();
      for (int i = 0; i < reads.length; i++) {
        ClassMember reader = reads[i].origin().reader();
        if (reader != null) {
          readers.put(item.ids()[i].dn(), reader);
        }
      }
      return readers;
    }

    /** What it says. */
    Said said() {
      try {
        return Said.of(Arrays.asList(entries).subList(0, count), done);
      } catch (LdapProtocolException e) {
        throw new IllegalStateException("an entry is checked before it is stored", e);
      }
    }
  }

  /** The answer to a request, if all of it is stored and none of it too old; else null. */
  @Nullable Answer find(Lookup lookup, Look look) {
    CachedResult item = look.item(items, lookup.key());
    long now = clock.getAsLong();
    Use use = item == null ? null : use(lookup, item, now);
    if (item == null || use == null) {
      look.because(item == null ? Reason.NOT_STORED : item.dead(lookup.epoch(), now));
      return null;
    }
    int limit = lookup.plan().sizeLimit();
    int size = item.ids().length;
    boolean whole = limit == 0 || limit >= size;
    byte[] done = whole ? item.done() : lookup.generation().profile().sizeLimitExceededOp();
    boolean cutForAll = !whole && lookup.accessClass().shared();
    if (done == null || cutForAll || !item.limits().prove(limit, size)) {
      look.because(Reason.SIZE_LIMIT);
      return null;
    }
    return answer(lookup, use, whole ? size : limit, done, look);
  }

  /**
   * A result that may be served, and why; decided once, so that nothing is put together of two
   * minds. Immutable.
   *
   * @param watch what the feed says of it; null if it is served by its age
   * @param now when that was decided
   * @param oldestNanos older reads of its entries will not do
   */
  private record Use(
      CachedResult item,
      CachedResult.@Nullable Watch watch,
      long now,
      long oldestNanos,
      boolean aging) {}

  private static @Nullable Use use(Lookup lookup, CachedResult item, long now) {
    CachedResult.Watch vouched = item.vouched(now);
    CachedResult.Watch watch = vouched == null ? item.proved(now, lookup.now()) : vouched;
    boolean aging = item.isAging(watch, lookup.oldestNanos(), now);
    if (watch != null) {
      return new Use(item, watch, now, watch.derived().oldest(now), aging);
    }
    return item.alive(lookup.epoch(), lookup.oldestNanos(), now)
        ? new Use(item, null, now, lookup.oldestNanos(), aging)
        : null;
  }

  private @Nullable Answer answer(Lookup lookup, Use use, int count, byte[] done, Look look) {
    CachedResult item = use.item();
    look.looksIn(lookup, item, count);
    if (use.watch() != null) {
      look.restsOnFeed(use.watch().derived().bound(use.now()));
    }
    byte[][] found = new byte[count][];
    StoredEntry.Read[] reads =
        lookup.accessClass().shared() ? new StoredEntry.Read[count] : NO_READS;
    Sources sources = new Sources(item.sources());
    for (int i = 0; i < count; i++) {
      StoredEntry.Read read = entry(lookup, use, i, look);
      if (read == null) {
        counters.entryMisses.add(look.forReal() ? 1 : 0);
        look.because(Reason.ENTRY_MISSING);
        return null;
      }
      found[i] = read.projected(lookup.selection());
      sources.add(read.origin().sources());
      look.uses(read.asOf());
      if (reads.length > 0) {
        reads[i] = read;
      }
    }
    if (look.forReal()) {
      counters.entryHits.add(count);
      item.heat().hit(lookup.now());
    }
    return new Answer(found, count, done, sources.all(), item, use.aging(), reads);
  }

  /** What a result must be proved by before it is given; null if there is none, or it need not. */
  FreshnessGuarantee.@Nullable Proof proof(Lookup lookup) {
    CachedResult item = items.peek(lookup.key());
    View view = item == null || item.watch() == null ? null : item.watch().view();
    return view == null || view.state() != ViewState.VALID ? null : view.proof();
  }

  /**
   * The servers of one answer: mostly there is one, or none is known. Of each it is known what it
   * had whenever a part was read from it: the parts may have been read at many times.
   */
  static final class Sources {
    private List<ReadFrom> all;

    Sources(List<ReadFrom> first) {
      all = first;
    }

    void add(List<ReadFrom> sources) {
      if (sources != all) {
        sources.forEach(this::add);
      }
    }

    private void add(ReadFrom source) {
      int known = 0;
      while (known < all.size() && all.get(known).server() != source.server()) {
        known++;
      }
      if (known == all.size()) {
        all = Stream.concat(all.stream(), Stream.of(source)).toList();
        return;
      }
      ReadFrom both = all.get(known).and(source);
      if (!both.equals(all.get(known))) {
        all = new ArrayList<>(all);
        all.set(known, both);
      }
    }

    List<ReadFrom> all() {
      return all;
    }
  }

  /** An entry as one read shows it that is no older than the item says, and not too old. */
  private StoredEntry.@Nullable Read entry(Lookup lookup, Use use, int index, Look look) {
    StoredEntry stored = look.get(entries, use.item().ids()[index]);
    StoredEntry.Read read = stored == null ? null : read(lookup, stored, use, index);
    return read == null
            || read.origin().isWithheld()
            || read.asOf() - use.item().firstNanos() < 0
            || read.asOf() - use.oldestNanos() < 0
        ? null
        : read;
  }

  /**
   * An entry is shown in the state in which the result has found it, as far as that is known: in
   * another one it might not be found. What the directory derives may differ between reads of one
   * state: the item bounds their age, and each is asked whether it still counts, whether it is
   * given by its age or not.
   */
  private static StoredEntry.@Nullable Read read(
      Lookup lookup, StoredEntry stored, Use use, int index) {
    CachedResult.Watch known = use.item().watch();
    if (known == null) {
      return stored.find(lookup.selection(), lookup.epoch());
    }
    Csn version = known.versions()[index];
    StoredEntry.Read read =
        use.watch() == null
            ? stored.find(lookup.selection(), lookup.epoch(), version)
            : stored.find(lookup.selection(), version);
    return read != null && known.stillShows(index, read, use.now()) ? read : null;
  }

  /** Stores the result of a search that was sent at the time of the lookup. */
  void store(Lookup lookup, List<ReadFrom> sources, List<FilledEntry> found, Result result) {
    Lookup.Origin origin = Lookup.Origin.of(lookup, sources);
    CachedResult.Watch watch = result.watch();
    StoredEntry.Key[] ids = new StoredEntry.Key[found.size()];
    for (int i = 0; i < ids.length; i++) {
      State state = watch == null ? State.UNKNOWN : State.of(watch, i);
      ids[i] = store(lookup, origin, found.get(i), state);
    }
    CachedResult item =
        CachedResult.read(ids, result.done(), origin, lookup.plan(), watch).interned(interner);
    CachedResult kept =
        items.compute(
            lookup.key(),
            (key, earlier) -> earlier == null ? item : item.after(earlier, lookup.oldestNanos()));
    if (watch != null && (kept == null || !kept.restsOn(watch.view()))) {
      item.evicted();
    }
    if (watch != null && watch.view().isDead()) {
      killed(lookup.key(), watch.view()); // a change may have come before the item was there
    }
  }

  private StoredEntry.Key store(
      Lookup lookup, Lookup.Origin origin, FilledEntry entry, State state) {
    StoredEntry.Key id = new StoredEntry.Key(lookup.partition(), lookup.plan().form(), entry.dn());
    StoredEntry.Read read = new StoredEntry.Read(lookup.selection(), entry.op(), origin, state);
    StoredEntry stored =
        entries.compute(
            id,
            (key, known) ->
                known == null
                    ? new StoredEntry(key, new StoredEntry.Read[] {read})
                    : known.with(read));
    return stored == null ? id : stored.key();
  }

  /** An entry that a search has returned: its DN and all of it, encoded. Immutable. */
  record FilledEntry(Octets dn, byte[] op) {}

  /**
   * What a result is besides its entries. Immutable.
   *
   * @param done the final response
   * @param watch what a feed says of it; null if there is none
   */
  record Result(byte[] done, CachedResult.@Nullable Watch watch) {}

  /** Stores the result of a compare. */
  void store(Lookup lookup, List<ReadFrom> sources, byte[] done) {
    Lookup.Origin origin = Lookup.Origin.of(lookup, sources);
    CachedResult item = CachedResult.read(NO_IDS, done, origin, lookup.plan(), null);
    items.put(lookup.key(), item.interned(interner));
  }

  /** What is stored, without a trace. */
  @Nullable CachedResult peek(QueryKey key) {
    return items.peek(key);
  }

  /** A result is not given again. */
  void forget(QueryKey key) {
    items.removeIf(key, item -> true);
  }

  /**
   * A change has made a result void: it is dropped, unless there is another one by now.
   *
   * @return what was dropped
   */
  @Nullable CachedResult killed(QueryKey key, View view) {
    CachedResult item = items.peek(key);
    items.removeIf(key, one -> one.restsOn(view));
    return item != null && item.restsOn(view) ? item : null;
  }

  /** Drops results and entries. */
  Dropped drop(BiPredicate<QueryKey, CachedResult> results, Predicate<StoredEntry.Key> shown) {
    return new Dropped(items.drop(results), entries.drop((key, entry) -> shown.test(key)));
  }

  /** Drops what can never be served again. */
  void sweep(long oldestNanos) {
    long now = clock.getAsLong(); // the epoch is asked for each: what is newer is stored meanwhile
    items.removeIf(item -> item.over(validity.epoch(), oldestNanos, now));
    entries.removeIf(entry -> !entry.alive(validity.epoch(), oldestNanos));
  }

  /** The time by which all that is stored has its age. */
  long now() {
    return clock.getAsLong();
  }

  BoundedCache<QueryKey, CachedResult> items() {
    return items;
  }

  BoundedCache<StoredEntry.Key, StoredEntry> entries() {
    return entries;
  }

  /**
   * Serves, while no directory server can be used, what was right when there was one and is a
   * little older than it may be otherwise. Only age is forgiven: what a change has made void stays
   * void, and nobody gets what the directory has given to another. Thread-safe.
   */
  static final class Outage {
    private static final Logger LOG = LoggerFactory.getLogger(Outage.class);

    private final ResultStore store;
    private final Supplier<Duration> most;
    private final Caches.Outages outages;
    private final AtomicBoolean told = new AtomicBoolean();
    private final LongAdder served = new LongAdder();
    private volatile long servedBefore;

    /**
     * Makes it.
     *
     * @param most how much older than otherwise an answer may be; 0 serves none
     * @param outages which directories have no server that can be used
     */
    Outage(ResultStore store, Supplier<Duration> most, Caches.Outages outages) {
      this.store = store;
      this.most = most;
      this.outages = outages;
    }

    /** The answer to a request that has none that is young enough; null if there is none. */
    @Nullable Answer find(Lookup lookup, Request request, Look look) {
      long forgiven = most.get().toNanos();
      return forgiven == 0 || !outages.concern(request)
          ? null
          : store.find(lookup.forgiving(forgiven), look);
    }

    /** Such an answer is given. */
    void gave() {
      tell();
      served.increment();
    }

    private void tell() {
      if (!told.get() && told.compareAndSet(false, true)) {
        servedBefore = served.sum();
        LOG.warn(
            "no directory server can be used: answers up to {} ms too old are given",
            most.get().toMillis());
      }
    }

    /** A server's state has changed: the outage may be over. */
    void check() {
      if (told.get() && !outages.any() && told.compareAndSet(true, false)) {
        long answers = served.sum() - servedBefore;
        LOG.info("a directory server can be used again; {} answers were too old", answers);
      }
    }

    /** Answers that were too old, since the start. */
    long served() {
      return served.sum();
    }
  }
}

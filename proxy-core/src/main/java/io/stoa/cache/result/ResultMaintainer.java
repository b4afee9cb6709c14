// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.memory.BoundedCache;
import io.stoa.cache.result.CachedResult.TrackedView;
import io.stoa.cache.result.StoredEntry.EntryState;
import io.stoa.cache.result.StoredEntry.ReadContext;
import io.stoa.cache.sharing.Projection;
import io.stoa.coherence.rights.Derivation;
import io.stoa.coherence.rights.DerivedAttributes;
import io.stoa.coherence.rights.DerivedData;
import io.stoa.coherence.tracking.CheckedSearch.Checked;
import io.stoa.coherence.view.EntryUpdate;
import io.stoa.coherence.view.EntryUpdate.Shown;
import io.stoa.coherence.view.InvalidationCause;
import io.stoa.coherence.view.View;
import io.stoa.coherence.view.ViewListener;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.AttributeSelection;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Updates one stored result in place when the directory has changed.
 *
 * <ol>
 *   <li>Only results of uniform classes are updated, since their members see all that the feed sees
 *       there. Otherwise a client could be shown data that it may not see.
 *   <li>Stored data is replaced, never modified. A reader gets the result from before or after the
 *       change.
 * </ol>
 *
 * <p>Threading: thread-safe. Updates run on the thread that applies changes.
 */
@SuppressWarnings("ReferenceEquality") // each object is one version: an equal one is another
final class ResultMaintainer implements ViewListener {
  /** Maximum number of attribute lists that are kept up to date: 4. Applications use few. */
  private static final int MAX_SELECTIONS = 4;

  private static final int SUCCESS = 0;

  private final Caches caches;
  private final Lookup lookup;
  private final Projection projection;
  private volatile List<StoredSelection> selections = List.of();
  private volatile @Nullable DerivedAttributes attributes;
  private volatile @Nullable CurrentVersion current;

  /** Watch that is being replaced at this moment; null if none. */
  private volatile @Nullable TrackedView replaced;

  private ResultMaintainer(Caches caches, Lookup lookup, Projection projection) {
    this.caches = caches;
    this.lookup = lookup;
    this.projection = projection;
  }

  /**
   * An attribute list in which entries of the result are stored.
   *
   * <p>Threading: immutable.
   *
   * @param origin origin of the read with this list; an updated entry inherits its age, which
   *     counts where results are served by age
   */
  private record StoredSelection(AttributeSelection selection, Lookup.Origin origin) {
    /**
     * True if an existing read with this list can stand in for one of this origin. Either it is at
     * least as new and not withheld, or this origin is withheld itself.
     */
    boolean isCoveredBy(StoredEntry read) {
      return origin.isWithheld() || (!read.isWithheld() && read.asOf() - origin.asOf() >= 0);
    }
  }

  /**
   * The current version of the result. Threading: immutable while the array is not modified.
   *
   * @param uuids the entries of the result, in its order
   */
  private record CurrentVersion(TrackedView watch, Uuid[] uuids) {}

  /**
   * Returns the listener for the view of a result: it updates uniform results in place, and drops
   * others.
   */
  static ViewListener of(Caches caches, Fill fill) {
    Lookup lookup = fill.lookup();
    if (lookup.sharingClass().uniform()) {
      Projection projection =
          new Projection(lookup.sharingClass().attributes(), lookup.generation().profile());
      if (projection.isComputable(lookup.selection())) {
        return new ResultMaintainer(caches, lookup, projection);
      }
    }
    QueryKey key = fill.key(); // the view keeps no more of the fill
    return (view, cause) -> caches.onInvalidated(key, view);
  }

  /** Called before a result without derived data is stored. Returns its first watch. */
  TrackedView begin(View view, Derivation derivation, Checked checked, Lookup.Origin origin) {
    TrackedView first = new TrackedView(view, checked.versions(), derivation, this);
    selections = List.of(new StoredSelection(lookup.selection(), origin));
    attributes = checked.attributes();
    current = new CurrentVersion(first, checked.uuids());
    caches.largestResults().note(lookup, checked.uuids().length, origin.asOf(), derivation);
    return first;
  }

  /**
   * Takes over the attribute lists of the result that this one replaces, if they are still of use.
   */
  void inherit(ResultMaintainer earlier) {
    List<StoredSelection> all = new ArrayList<>(selections);
    AttributeSelection ownSelection = lookup.selection();
    for (StoredSelection selection : earlier.selections) {
      if (!ownSelection.covers(selection.selection()) && all.size() < MAX_SELECTIONS) {
        all.add(selection);
      }
    }
    selections = List.copyOf(all);
  }

  /** True if the watch belongs to the current version of the result. */
  boolean isCurrent(TrackedView watch) {
    CurrentVersion now = current;
    return now == null || now.watch() == watch;
  }

  /**
   * True if the version of this watch may be served: it is current, or just being replaced. An
   * outdated copy can remain in the cache, for example while the cache is resized.
   */
  boolean mayServe(TrackedView watch) {
    return replaced == watch || isCurrent(watch);
  }

  @Override
  public void onInvalidated(View view, InvalidationCause cause) {
    caches.onInvalidated(lookup.key(), view);
  }

  @Override
  public boolean mayUpdateInPlace() {
    return true;
  }

  @Override
  public boolean onUpdated(View view, EntryUpdate update) {
    CurrentVersion now = current;
    if (now == null || now.watch().view() != view) {
      return false;
    }
    Shown shown = update.shown();
    if (shown == null) {
      return swap(now, update.uuid(), List.of(), null);
    }
    List<StoredEntry> added = new ArrayList<>();
    try {
      add(view, shown, added);
      return !added.isEmpty() && swap(now, update.uuid(), added, shown.csn());
    } finally {
      added.forEach(caches.store().entries()::release);
    }
  }

  /**
   * Replaces the result by one with the entry updated, or removed.
   *
   * @param reads the entry with all attribute lists, that of the result last; empty if it is
   *     removed
   * @return false if the result was not replaced
   */
  private boolean swap(
      CurrentVersion now, Uuid uuid, List<StoredEntry> reads, @Nullable Csn version) {
    CachedResult swapped = replace(now, item -> swapped(item, now, uuid, reads, version));
    TrackedView newWatch = swapped == null ? null : swapped.watch();
    return newWatch != null && newWatch != now.watch() && isCurrent(newWatch);
  }

  private @Nullable CachedResult replace(CurrentVersion now, UnaryOperator<CachedResult> change) {
    replaced = now.watch();
    try {
      return caches.store().items().replace(lookup.key(), change);
    } finally {
      replaced = null;
    }
  }

  /**
   * Adds the entry with all attribute lists, its own last, to the table. Each added read must be
   * released. Adds none if the members' view of the entry is unknown.
   */
  private void add(View view, Shown shown, List<StoredEntry> added) {
    SearchEntry entry = shown.image().entry();
    boolean known =
        caches.generation() == lookup.generation()
            && projection.showsAll(view.query().attributes())
            && entry.attributes().stream().noneMatch(it -> caches.isSecret(it.type()))
            && selections.stream().noneMatch(one -> isUnknown(entry, one.selection()));
    List<StoredSelection> forms = known ? selections : List.of();
    for (int i = forms.size() - 1; i >= 0; i--) {
      added.add(add(forms.get(i), shown));
    }
  }

  private boolean isUnknown(SearchEntry entry, AttributeSelection selection) {
    return isTooLarge(entry, selection) || showsDerived(entry, selection);
  }

  /** Adds the entry with one attribute list. A read that other results share is added once. */
  private StoredEntry add(StoredSelection selection, Shown shown) {
    EntryTable entries = caches.store().entries();
    ReadContext context =
        ReadContext.of(lookup, lookup.form(), selection.selection(), selection.origin());
    StoredEntry read =
        new StoredEntry(
            context,
            projection.of(shown.image().entry(), selection.selection()),
            selection.origin().epoch(),
            selection.origin().asOf(),
            EntryState.feedOnly(shown.csn()));
    StoredEntry same =
        entries.find(read, selection.selection(), StoredEntry.ANY_EPOCH, shown.csn());
    if (same == null || !same.selection().equals(selection.selection())) {
      return entries.addReport(read, shown.csn());
    }
    if (selection.isCoveredBy(same) && entries.hold(same)) {
      return same;
    }
    return entries.addReport(read.withOpOf(same), shown.csn());
  }

  private boolean isTooLarge(SearchEntry entry, AttributeSelection selection) {
    return entry.attributes().stream()
            .filter(attribute -> projection.shows(attribute.type(), selection))
            .mapToLong(attribute -> attribute.encoded().length)
            .sum()
        > caches.config().maxResultBytes();
  }

  private boolean showsDerived(SearchEntry entry, AttributeSelection selection) {
    DerivedAttributes derived = attributes;
    return derived == null
        || entry.attributes().stream()
            .map(SearchEntry.AttributeOctets::type)
            .filter(
                type ->
                    derived.kindsOfAttribute(type) != DerivedData.NONE
                        || derived.isCollective(type))
            .anyMatch(type -> projection.shows(type, selection));
  }

  /**
   * Returns the updated result. Returns it unchanged if it was replaced meanwhile or would be too
   * large.
   */
  private CachedResult swapped(
      CachedResult item,
      CurrentVersion now,
      Uuid uuid,
      List<StoredEntry> reads,
      @Nullable Csn version) {
    StoredEntry entry = reads.isEmpty() ? null : reads.get(reads.size() - 1);
    StoredEntry[] before = item.entries();
    int index = Arrays.asList(now.uuids()).indexOf(uuid);
    boolean grows = entry != null && index < 0;
    if (item.isReleased()
        || item.watch() != now.watch()
        || LdapResult.codeOf(item.done().op()) != SUCCESS
        || (grows && !mayGrowTo(now.uuids().length + 1, item))
        || (entry == null && index < 0)) {
      return item;
    }
    StoredEntry[] entries = put(before, index, entry);
    if (!caches.store().entries().holdAll(entries)) {
      return item;
    }
    Csn[] versions = put(now.watch().versions(), index, version);
    Uuid[] uuids = put(now.uuids(), index, entry == null ? null : uuid);
    TrackedView next = new TrackedView(now.watch().view(), versions, now.watch().derived(), this);
    current = new CurrentVersion(next, uuids);
    StoredEntry changed = index < 0 ? null : before[index];
    return item.updated(entries, others(item, changed, reads), next);
  }

  /** Holds and returns the reads with other attribute lists of the updated result. */
  private StoredEntry[] others(
      CachedResult item, @Nullable StoredEntry changed, List<StoredEntry> reads) {
    Stream<StoredEntry> unchanged =
        Arrays.stream(item.others())
            .filter(other -> changed == null || !other.isSameEntry(changed));
    Stream<StoredEntry> updated = reads.stream().limit(Math.max(0, reads.size() - 1));
    return CachedResult.held(caches.store().entries(), Stream.concat(unchanged, updated));
  }

  /** True if the directory would return this number of entries. */
  private boolean mayGrowTo(int count, CachedResult item) {
    return count <= caches.config().bypassLimit()
        && caches.largestResults().proves(lookup, item, count, caches.store().now());
  }

  /**
   * The largest number of entries that the directory has returned in whole answers.
   *
   * <p>A directory may refuse larger results, and does not publish a client's limit. The limit may
   * depend on the base (slapd.conf(5), limits).
   *
   * <p>Threading: thread-safe.
   */
  static final class LargestResults {
    private static final int MAX = 10_000;

    /** Time in which an equal count is not recorded again: 100 ms. Many results arrive at once. */
    private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final BoundedCache<LimitKey, LargestResult> largest =
        new BoundedCache<>(MAX, MAX, (to, whole) -> 1);

    /**
     * Key: partition, base, and whether the request had a size limit, which may change the server's
     * limit.
     */
    private record LimitKey(Octets partition, @Nullable Octets base, boolean limited) {
      static LimitKey of(Lookup lookup, boolean limited) {
        return new LimitKey(lookup.partition(), lookup.reach().place(), limited);
      }
    }

    private record LargestResult(int count, long asOf) {
      /**
       * True if this count proves as much as a later one, and was read after the last change of
       * rights.
       */
      boolean provesAsMuchAs(LargestResult later, Derivation derivation) {
        boolean fresh = later.asOf - asOf < FRESH_NANOS;
        return asOf - derivation.oldest(later.asOf) >= 0
            && (count > later.count || (count == later.count && fresh));
      }
    }

    void note(Lookup lookup, int count, long asOf, Derivation derivation) {
      if (count > 1) {
        LargestResult now = new LargestResult(count, asOf);
        LimitKey key = LimitKey.of(lookup, lookup.sizeLimit() != 0);
        LargestResult before = largest.get(key);
        if (before == null || !before.provesAsMuchAs(now, derivation)) {
          largest.compute(
              key,
              (same, earlier) ->
                  earlier != null && earlier.provesAsMuchAs(now, derivation) ? earlier : now);
        }
      }
    }

    /**
     * True if this number of entries was returned for each kind of size limit that the result was
     * requested with.
     */
    boolean proves(Lookup lookup, CachedResult item, int count, long now) {
      TrackedView watch = item.watch();
      long oldest = watch == null ? now : watch.derived().oldest(now);
      return count <= 1
          || ((!item.limits().none() || proves(LimitKey.of(lookup, false), count, oldest))
              && (item.limits().max() == 0 || proves(LimitKey.of(lookup, true), count, oldest)));
    }

    private boolean proves(LimitKey key, int count, long oldest) {
      LargestResult largestResult = largest.get(key);
      return largestResult != null
          && largestResult.count() >= count
          && largestResult.asOf() - oldest >= 0;
    }
  }

  /**
   * Returns a copy with the element replaced, removed ({@code element} null) or appended ({@code
   * at} below 0).
   */
  private static <T> T[] put(T[] before, int at, @Nullable T element) {
    if (element != null) {
      T[] next = Arrays.copyOf(before, at < 0 ? before.length + 1 : before.length);
      next[at < 0 ? before.length : at] = element;
      return next;
    }
    T[] fewer = Arrays.copyOf(before, before.length - 1);
    System.arraycopy(before, at + 1, fewer, at, fewer.length - at);
    return fewer;
  }
}

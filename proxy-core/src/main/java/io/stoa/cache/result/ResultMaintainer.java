// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import io.stoa.cache.memory.BoundedCache;
import io.stoa.cache.result.CachedResult.Watch;
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
import io.stoa.ldap.filter.Image;
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
import org.jspecify.annotations.Nullable;

/**
 * Changes one result in place when the directory has changed. Only for a class whose members all
 * see whatever the feed sees there, or somebody would be shown what he may not see. What is stored
 * is replaced, never modified: who reads has the result of before or of after. Thread-safe; results
 * are changed on one thread, that on which changes are applied.
 */
@SuppressWarnings("ReferenceEquality") // a result stands for one moment: an equal one is another
final class ResultMaintainer implements ViewListener {
  /** So many attribute lists are kept up; applications use few. */
  private static final int MOST_SHAPES = 4;

  private static final int SUCCESS = 0;

  private final Caches caches;
  private final Lookup lookup;
  private final Projection projection;
  private volatile List<Shape> shapes = List.of();
  private volatile @Nullable DerivedAttributes attributes;
  private volatile @Nullable Present present;

  /** Is being replaced at this moment. */
  private volatile @Nullable Watch leaving;

  private ResultMaintainer(Caches caches, Lookup lookup, Projection projection) {
    this.caches = caches;
    this.lookup = lookup;
    this.projection = projection;
  }

  /**
   * In what form entries are kept for a result. Immutable.
   *
   * @param origin where they were read in that form: what is put in their place is as old, as far
   *     as it is by age that it is given
   */
  private record Shape(AttributeSelection selection, Lookup.Origin origin) {
    /** Whether a read in this form is as new as one from here, or could be given when it is not. */
    boolean isServedBy(StoredEntry.Read same) {
      return origin.isWithheld()
          || (!same.origin().isWithheld() && same.asOf() - origin.asOf() >= 0);
    }
  }

  /**
   * What is stored now. Immutable, as long as nobody modifies the array.
   *
   * @param uuids the entries of the result, in its order
   */
  private record Present(Watch watch, Uuid[] uuids) {}

  /** Who keeps what such a search returns. */
  static ViewListener of(Caches caches, Lookup lookup) {
    if (lookup.accessClass().uniform()) {
      Projection projection =
          new Projection(lookup.accessClass().attributes(), lookup.generation().profile());
      if (projection.isKnown(lookup.selection())) {
        return new ResultMaintainer(caches, lookup, projection);
      }
    }
    return (view, cause) -> caches.killed(lookup.key(), view);
  }

  /** A result is about to be stored in which nothing is derived from other entries. */
  Watch begin(View view, Derivation derived, Checked checked, Lookup.Origin origin) {
    Watch first = new Watch(view, checked.versions(), derived, this);
    shapes = List.of(new Shape(lookup.selection(), origin));
    attributes = checked.attributes();
    present = new Present(first, checked.uuids());
    caches.given().note(lookup, checked.uuids().length, origin.asOf(), derived);
    return first;
  }

  /** The same was stored before, with other attributes: these are of use still. */
  void inherit(ResultMaintainer earlier) {
    List<Shape> all = new ArrayList<>(shapes);
    AttributeSelection own = lookup.selection();
    for (Shape shape : earlier.shapes) {
      if (!own.covers(shape.selection()) && all.size() < MOST_SHAPES) {
        all.add(shape);
      }
    }
    shapes = List.copyOf(all);
  }

  /** Whether it is this that stands for the result now. */
  boolean isPresent(Watch watch) {
    Present now = present;
    return now == null || now.watch() == watch;
  }

  /**
   * Whether it may be given: a copy of what was there before a change may be left where nobody has
   * replaced it, as while the cache takes another size.
   */
  boolean mayGive(Watch watch) {
    return leaving == watch || isPresent(watch);
  }

  @Override
  public void killed(View view, InvalidationCause cause) {
    caches.killed(lookup.key(), view);
  }

  @Override
  public boolean mayAmend() {
    return true;
  }

  @Override
  public boolean amended(View view, EntryUpdate amendment) {
    Present now = present;
    if (now == null || now.watch().view() != view) {
      return false;
    }
    Shown shown = amendment.shown();
    StoredEntry.Key entry = shown == null ? null : store(view, shown);
    if (shown != null && entry == null) {
      return false;
    }
    Csn version = shown == null ? null : shown.csn();
    CachedResult swapped = swap(now, item -> swapped(item, now, amendment.uuid(), entry, version));
    Watch own = swapped == null ? null : swapped.watch();
    return own != null && own != now.watch() && isPresent(own);
  }

  private @Nullable CachedResult swap(Present now, UnaryOperator<CachedResult> change) {
    leaving = now.watch();
    try {
      return caches.store().items().replace(lookup.key(), change);
    } finally {
      leaving = null;
    }
  }

  /** Stores the entry in all forms; null if it cannot be said what members see of it. */
  private StoredEntry.@Nullable Key store(View view, Shown shown) {
    Image image = shown.image();
    boolean known =
        caches.generation() == lookup.generation()
            && projection.sees(view.query().attributes())
            && image.entry().attributes().stream().noneMatch(it -> caches.isSecret(it.type()));
    StoredEntry.Key id =
        new StoredEntry.Key(
            lookup.partition(), lookup.plan().form(), Octets.of(image.entry().dn()));
    List<Shape> forms = shapes;
    for (int i = forms.size() - 1; known && i >= 0; i--) {
      known = store(id, forms.get(i), shown);
    }
    return known ? id : null;
  }

  /** What many results show is made and stored once. */
  private boolean store(StoredEntry.Key id, Shape shape, Shown shown) {
    SearchEntry entry = shown.image().entry();
    if (isTooLarge(entry, shape.selection()) || showsDerived(entry, shape.selection())) {
      return false;
    }
    StoredEntry.Read same = same(id, shape, shown.csn());
    if (same != null && shape.isServedBy(same)) {
      return true;
    }
    byte[] op = same == null ? projection.of(entry, shape.selection()) : same.op();
    StoredEntry.State state = StoredEntry.State.told(shown.csn());
    StoredEntry.Read read = new StoredEntry.Read(shape.selection(), op, shape.origin(), state);
    caches
        .store()
        .entries()
        .compute(
            id,
            (key, known) ->
                known == null
                    ? new StoredEntry(key, new StoredEntry.Read[] {read})
                    : known.amended(read, shown.csn()));
    return true;
  }

  /** The same form of the entry, which another result shows already. */
  private StoredEntry.@Nullable Read same(StoredEntry.Key id, Shape shape, Csn version) {
    StoredEntry stored = caches.store().entries().peek(id);
    StoredEntry.Read read = stored == null ? null : stored.find(shape.selection(), version);
    return read != null && read.selection().equals(shape.selection()) ? read : null;
  }

  private boolean isTooLarge(SearchEntry entry, AttributeSelection selection) {
    return entry.attributes().stream()
            .filter(attribute -> projection.shows(attribute.type(), selection))
            .mapToLong(attribute -> attribute.encoded().length)
            .sum()
        > caches.config().maxResultBytes();
  }

  private boolean showsDerived(SearchEntry entry, AttributeSelection selection) {
    DerivedAttributes known = attributes;
    return known == null
        || entry.attributes().stream()
            .map(SearchEntry.AttributeOctets::type)
            .filter(type -> known.shown(type) != DerivedData.NONE || known.isCollective(type))
            .anyMatch(type -> projection.shows(type, selection));
  }

  /** The result with the change; the same if it is another one by now, or would be too large. */
  private CachedResult swapped(
      CachedResult item,
      Present now,
      Uuid uuid,
      StoredEntry.@Nullable Key entry,
      @Nullable Csn version) {
    int at = Arrays.asList(now.uuids()).indexOf(uuid);
    boolean grows = entry != null && at < 0;
    if (item.watch() != now.watch()
        || LdapResult.codeOf(item.done()) != SUCCESS
        || (grows && !mayHave(now.uuids().length + 1, item))
        || (entry == null && at < 0)) {
      return item;
    }
    StoredEntry.Key[] ids = put(item.ids(), at, entry);
    Csn[] versions = put(now.watch().versions(), at, version);
    Uuid[] uuids = put(now.uuids(), at, entry == null ? null : uuid);
    Watch next = new Watch(now.watch().view(), versions, now.watch().derived(), this);
    present = new Present(next, uuids);
    return item.amended(ids, next);
  }

  /** Whether the directory would give so many entries. */
  private boolean mayHave(int count, CachedResult item) {
    return count <= caches.config().bypassLimit()
        && caches.given().proves(lookup, item, count, caches.store().now());
  }

  /**
   * How many entries the directory has given in whole answers: it may refuse to give more, and does
   * not say where its limit for a client is. That may depend on the base (slapd.conf(5), limits).
   * Thread-safe.
   */
  static final class Given {
    private static final int MOST = 10_000;

    /** What proves no more is not noted again so soon: many are asked at a time. */
    private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final BoundedCache<To, Whole> most = new BoundedCache<>(MOST, MOST, (to, whole) -> 1);

    /** Who has asked, where, and whether with a limit of his own, which may be another one. */
    private record To(Octets partition, @Nullable Octets base, boolean limited) {
      static To of(Lookup lookup, boolean limited) {
        return new To(lookup.partition(), lookup.plan().reach().place(), limited);
      }
    }

    private record Whole(int count, long asOf) {
      /** Whether it says as much as a later one: rights may have been others then. */
      boolean saysAsMuchAs(Whole later, Derivation derived) {
        boolean fresh = later.asOf - asOf < FRESH_NANOS;
        return asOf - derived.oldest(later.asOf) >= 0
            && (count > later.count || (count == later.count && fresh));
      }
    }

    void note(Lookup lookup, int count, long asOf, Derivation derived) {
      if (count > 1) {
        Whole now = new Whole(count, asOf);
        To to = To.of(lookup, lookup.plan().sizeLimit() != 0);
        Whole before = most.get(to);
        if (before == null || !before.saysAsMuchAs(now, derived)) {
          most.compute(
              to, (same, known) -> known != null && known.saysAsMuchAs(now, derived) ? known : now);
        }
      }
    }

    /** Whether so many were given, in each of the ways in which the result was asked for. */
    boolean proves(Lookup lookup, CachedResult item, int count, long now) {
      Watch watch = item.watch();
      long oldest = watch == null ? now : watch.derived().oldest(now);
      return count <= 1
          || ((!item.limits().none() || proves(To.of(lookup, false), count, oldest))
              && (item.limits().most() == 0 || proves(To.of(lookup, true), count, oldest)));
    }

    private boolean proves(To to, int count, long oldest) {
      Whole whole = most.get(to);
      return whole != null && whole.count() >= count && whole.asOf() - oldest >= 0;
    }
  }

  /** A copy with another element at an index, or without it, or with one more at the end. */
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

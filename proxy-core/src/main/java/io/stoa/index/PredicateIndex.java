// SPDX-License-Identifier: Apache-2.0
package io.stoa.index;

import io.stoa.filter.Cover;
import io.stoa.filter.Query;
import io.stoa.filter.Uuid;
import io.stoa.ldap.Octets;
import io.stoa.match.NormalDn;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Finds the views whose answer a change may alter. A view is filed under its base; under keys of
 * its filter, or else under its base once more; and under the entries that it holds.
 *
 * <p>Thread-safe: who registers takes turns; who looks for views takes no lock. What is registered
 * when {@link #register} returns is found by every search that begins after it. A view that is
 * registered or taken out meanwhile may or may not be found.
 *
 * @param <V> a view; compared by identity
 */
public final class PredicateIndex<V> {
  private final Map<Octets, TypeAnchors> types = new ConcurrentHashMap<>();
  private final Table<Octets> uncovered = new Table<>(new ConcurrentHashMap<>());
  private final PlaceTable bases = new PlaceTable();
  private final PlaceTable places = new PlaceTable();

  /** Entries whose names are compared in ways that are not known: at or below these places. */
  private final PlaceTable doubtful = new PlaceTable();

  private final Table<Uuid> members = new Table<>(new ConcurrentHashMap<>());
  private final Map<Octets, Integer> names = new ConcurrentHashMap<>();
  private volatile int views;
  private final LongAdder changes = new LongAdder();
  private final LongAdder probes = new LongAdder();
  private final LongAdder candidates = new LongAdder();

  /**
   * @param members the entries whose change alters the answer: those in it, and the base
   * @param memberDns their names: what is known of a change may be a name alone
   * @return what {@link #unregister} needs
   */
  public Anchors register(
      V view, Query query, Collection<Uuid> members, Collection<NormalDn> memberDns) {
    Cover cover = query.scope() == 0 ? Cover.NONE : query.cover(this::load);
    Anchors anchors =
        new Anchors(view, query, cover.keys(), List.copyOf(members), namesOf(memberDns));
    publish(anchors);
    return anchors;
  }

  private static Anchors.Names namesOf(Collection<NormalDn> dns) {
    List<Octets> places = new ArrayList<>(dns.size());
    List<Octets> doubtful = new ArrayList<>(0);
    for (NormalDn dn : dns) {
      boolean sure = dn.isDn() && dn.sureDepth() == dn.depth();
      (sure ? places : doubtful).add(dn.place(dn.sureDepth()));
    }
    return new Anchors.Names(List.copyOf(places), List.copyOf(doubtful));
  }

  private synchronized void publish(Anchors anchors) {
    views++;
    for (Octets name : anchors.query().attributes()) {
      names.merge(name, 1, Integer::sum);
    }
    anchors.members().forEach(uuid -> members.add(uuid, anchors));
    anchors.places().forEach(place -> places.table().add(place, anchors));
    anchors.doubtful().forEach(place -> doubtful.table().add(place, anchors));
    Octets base = anchors.query().place();
    bases.table().add(base, anchors);
    List<Cover.Key> keys = anchors.keys();
    if (keys == null) {
      uncovered.add(base, anchors);
    } else {
      keys.forEach(key -> type(key).add(key, anchors));
    }
  }

  private TypeAnchors type(Cover.Key key) {
    return types.computeIfAbsent(key.type(), unused -> new TypeAnchors());
  }

  /** Takes the view out of everything that it was filed under. */
  public synchronized void unregister(V view, Anchors anchors) {
    if (anchors.view() != view) {
      throw new IllegalArgumentException("another view's anchors");
    }
    views--;
    for (Octets name : anchors.query().attributes()) {
      names.computeIfPresent(name, (key, count) -> count == 1 ? null : count - 1);
    }
    anchors.members().forEach(uuid -> members.remove(uuid, anchors));
    anchors.places().forEach(place -> places.table().remove(place, anchors));
    anchors.doubtful().forEach(place -> doubtful.table().remove(place, anchors));
    Octets base = anchors.query().place();
    bases.table().remove(base, anchors);
    List<Cover.Key> keys = anchors.keys();
    if (keys == null) {
      uncovered.remove(base, anchors);
    } else {
      keys.forEach(key -> removeKey(key, anchors));
    }
  }

  private void removeKey(Cover.Key key, Anchors anchors) {
    TypeAnchors type = types.get(key.type());
    if (type != null) {
      type.remove(key, anchors);
      if (type.isEmpty()) {
        types.remove(key.type());
      }
    }
  }

  /** What is filed under few keys already is found by few changes that do not concern it. */
  private double load(Cover.Key key) {
    TypeAnchors type = types.get(key.type());
    return (type == null ? 0 : type.count(key)) + (key.value() == null ? 1000 : 0);
  }

  /**
   * Every view whose answer may differ after the change, and perhaps others. A view may be given
   * more than once.
   */
  public void affected(Touched touched, Consumer<V> found) {
    Consumer<Anchors> views = anchors -> found.accept(view(anchors));
    changes.increment();
    if (touched.uuid() != null) {
      members.forEach(touched.uuid(), views);
    }
    NormalDn old = touched.oldDn();
    NormalDn now = touched.currentDn();
    if (old != null) {
      named(old, !touched.stayed(), views);
    }
    if (now != null) {
      named(now, !touched.stayed(), views);
      Probe probe = new Probe(touched, now, names.keySet(), views);
      probes.add(probe.run(types, uncovered, bases));
      candidates.add(probe.candidates());
    }
  }

  private void named(NormalDn dn, boolean moved, Consumer<Anchors> views) {
    places.table().forEach(dn.place(dn.depth()), views);
    probes.add(1 + doubtful.forEachAtOrAbove(dn, views));
    if (moved) {
      bases.forEachAtOrBelow(dn.place(dn.depth()), views);
    }
  }

  /** Every view that holds an entry there or below, has its base there, or looks there. */
  public void below(NormalDn place, Consumer<V> found) {
    Consumer<Anchors> views = anchors -> found.accept(view(anchors));
    Octets from = place.place(place.depth());
    places.forEachAtOrBelow(from, views);
    doubtful.forEachAtOrBelow(from, views);
    doubtful.forEachAtOrAbove(place, views);
    bases.forEachAtOrBelow(from, views);
    bases.forEachAtOrAbove(
        place,
        anchors -> {
          Query query = anchors.query();
          if (query.scope() > 1 || query.inScope(place).mayBeTrue()) {
            views.accept(anchors);
          }
        });
  }

  public void all(Consumer<V> found) {
    bases.table().forEach(anchors -> found.accept(view(anchors)));
  }

  public IndexStats stats() {
    long keys = types.values().stream().mapToLong(TypeAnchors::size).sum();
    return new IndexStats(
        views,
        keys + uncovered.size(),
        members.size(),
        places.table().size() + doubtful.table().size() + bases.table().size(),
        names.size(),
        changes.sum(),
        probes.sum(),
        candidates.sum());
  }

  @SuppressWarnings("unchecked")
  private V view(Anchors anchors) {
    return (V) anchors.view();
  }
}

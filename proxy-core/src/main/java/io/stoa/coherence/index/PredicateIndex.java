// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.index;

import io.stoa.ldap.filter.CoveringKeys;
import io.stoa.ldap.filter.Query;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Finds the views that a change may alter. A view is registered under three kinds of keys.
 *
 * <ol>
 *   <li>Its base.
 *   <li>Keys of its filter, or its base once more if the filter has none.
 *   <li>The entries that it holds, or its base once more if it says that this does not exist.
 * </ol>
 *
 * <p>Octets: about 350 for a view of one entry, of which the name of the entry takes half, and 250
 * for each further entry. Its query takes about 140, if others have the same base. (Measured with
 * 100,000 views on JDK 17 with compressed pointers; {@code ViewMemoryTest} bounds the sum.)
 *
 * <p>Threading: thread-safe. Registration is serialized, lookups take no lock. Each lookup that
 * begins after {@link #register} has returned finds the view. A view that is registered or removed
 * during a lookup may or may not be found.
 *
 * @param <V> a view; compared by identity
 */
public final class PredicateIndex<V> {
  private final Map<Octets, TypeKeys> types = new ConcurrentHashMap<>();
  private final Table<Octets> uncovered = new Table<>(new ConcurrentHashMap<>());
  private final SubtreeIndex bases = new SubtreeIndex();
  private final SubtreeIndex places = new SubtreeIndex();

  /** Bases of views that say that their base does not exist. */
  private final SubtreeIndex absent = new SubtreeIndex();

  /** Initial cost of a kind of key, before any view is registered there. */
  private static final class Cost {
    private static final Octets OBJECT_CLASS = Octets.ofUtf8("2.5.4.0");

    private Cost() {}

    static double of(CoveringKeys.Key key) {
      return switch (key.kind()) {
        case EQUAL -> key.type().equals(OBJECT_CLASS) ? 100 : 0;
        case PREFIX -> 10;
        case ANY -> 1000;
      };
    }
  }

  /** Places at or below which entries with names of unknown matching rules are. */
  private final SubtreeIndex uncertainPlaces = new SubtreeIndex();

  private final Table<Uuid> members = new Table<>(new ConcurrentHashMap<>());
  private final AtomicInteger lastNumber = new AtomicInteger();
  private volatile int views;
  private final LongAdder probes = new LongAdder();
  private final LongAdder candidates = new LongAdder();

  /**
   * Registers a view.
   *
   * @param query a query whose changes a feed reports: not {@link Query#isUntrackable}
   * @param members the entries whose change alters the result: those in it, and the base
   * @param memberDns their names, since a change may be known by its name alone
   * @return the keys that {@link #unregister} needs
   */
  public IndexKeys register(
      V view, Query query, Collection<Uuid> members, Collection<NormalDn> memberDns) {
    CoveringKeys cover = query.scope() == 0 ? CoveringKeys.NONE : query.cover(this::costOf);
    IndexKeys keys =
        new IndexKeys(view, query, cover.keys(), List.copyOf(members), namesOf(query, memberDns));
    publish(keys);
    return keys;
  }

  /**
   * Registers a view that says that its base does not exist. Every change at its base, above or
   * below finds it, new entry or not: the entry may have been elsewhere when the view was read.
   */
  public synchronized IndexKeys registerAbsent(V view, Query query) {
    IndexKeys keys = register(view, query, List.of(), List.of());
    absent.table().add(query.treePosition(), keys);
    return keys;
  }

  private IndexKeys.Names namesOf(Query query, Collection<NormalDn> dns) {
    IndexKeys.Names names = namesOf(dns);
    if (query.treePosition().equals(query.base().treePosition(query.base().depth()))) {
      return names;
    }
    List<Octets> doubtful = new ArrayList<>(names.doubtful());
    doubtful.add(query.treePosition());
    return new IndexKeys.Names(names.number(), names.places(), List.copyOf(doubtful));
  }

  private IndexKeys.Names namesOf(Collection<NormalDn> dns) {
    List<Octets> places = new ArrayList<>(dns.size());
    List<Octets> doubtful = new ArrayList<>(0);
    for (NormalDn dn : dns) {
      (dn.isSure() ? places : doubtful).add(dn.treePosition(dn.sureDepth()));
    }
    return new IndexKeys.Names(
        lastNumber.incrementAndGet(), List.copyOf(places), List.copyOf(doubtful));
  }

  private synchronized void publish(IndexKeys indexKeys) {
    views++;
    addMembers(indexKeys);
    Octets base = indexKeys.query().treePosition();
    bases.table().add(base, indexKeys);
    List<CoveringKeys.Key> keys = indexKeys.keys();
    if (keys == null) {
      uncovered.add(base, indexKeys);
    } else {
      keys.forEach(key -> type(key).add(key, indexKeys));
    }
  }

  /**
   * Adds an entry, or a new name of one, to a registered view.
   *
   * @return the keys that {@link #removeMember} needs
   */
  public IndexKeys addMember(V view, Query query, Uuid member, NormalDn dn) {
    IndexKeys.Names memberNames = namesOf(List.of(dn));
    IndexKeys keys = new IndexKeys(view, query, List.of(), List.of(member), memberNames);
    addMembers(keys);
    return keys;
  }

  private synchronized void addMembers(IndexKeys keys) {
    keys.members().forEach(uuid -> members.add(uuid, keys));
    keys.places().forEach(place -> places.table().add(place, keys));
    keys.doubtful().forEach(place -> uncertainPlaces.table().add(place, keys));
  }

  /** Removes the keys of an entry that a view no longer holds. */
  public synchronized void removeMember(IndexKeys keys) {
    keys.members().forEach(uuid -> members.remove(uuid, keys));
    keys.places().forEach(place -> places.table().remove(place, keys));
    keys.doubtful().forEach(place -> uncertainPlaces.table().remove(place, keys));
  }

  private TypeKeys type(CoveringKeys.Key key) {
    return types.computeIfAbsent(key.type(), unused -> new TypeKeys());
  }

  /** Removes all keys of a view. */
  public synchronized void unregister(V view, IndexKeys indexKeys) {
    if (indexKeys.view() != view) {
      throw new IllegalArgumentException("the keys belong to another view");
    }
    views--;
    removeMember(indexKeys);
    Octets base = indexKeys.query().treePosition();
    bases.table().remove(base, indexKeys);
    absent.table().remove(base, indexKeys);
    List<CoveringKeys.Key> keys = indexKeys.keys();
    if (keys == null) {
      uncovered.remove(base, indexKeys);
    } else {
      keys.forEach(key -> removeKey(key, indexKeys));
    }
  }

  private void removeKey(CoveringKeys.Key key, IndexKeys keys) {
    TypeKeys type = types.get(key.type());
    if (type != null) {
      type.remove(key, keys);
      if (type.isEmpty()) {
        types.remove(key.type());
      }
    }
  }

  /** Returns the cost of a key: a key with fewer views matches fewer changes in vain. */
  private double costOf(CoveringKeys.Key key) {
    TypeKeys type = types.get(key.type());
    return Cost.of(key) + (type == null ? 0 : type.count(key));
  }

  /**
   * Finds every view that the change may alter, and perhaps others. A view may be found more than
   * once.
   */
  public void findAffected(EntryChange change, Consumer<V> found) {
    Consumer<IndexKeys> views = keys -> found.accept(view(keys));
    if (change.uuid() != null) {
      members.forEach(change.uuid(), views);
    }
    NormalDn old = change.oldDn();
    NormalDn now = change.currentDn();
    if (old != null && !change.hasSameName()) {
      findNamed(old, true, views);
    }
    if (now != null) {
      findNamed(now, !change.hasSameName(), views);
      if (!absent.isEmpty()) {
        absent.forEachBelow(now.treePosition(now.depth()), true, views);
        probes.add(1 + absent.forEachAtOrAbove(now, views));
      }
      IndexLookup probe = new IndexLookup(change, now, views);
      probes.add(probe.run(types, uncovered, bases));
      candidates.add(probe.candidates());
    }
  }

  private void findNamed(NormalDn dn, boolean moved, Consumer<IndexKeys> views) {
    places.table().forEach(dn.treePosition(dn.depth()), views);
    probes.add(1 + uncertainPlaces.forEachAtOrAbove(dn, views));
    if (moved) {
      bases.forEachBelow(dn.treePosition(dn.depth()), true, views);
    }
  }

  /** Finds every view that holds, or may hold, an entry of that name. */
  public void findNamed(NormalDn name, Consumer<V> found) {
    findNamed(name, false, keys -> found.accept(view(keys)));
  }

  /** Finds every view that has, or may have, its base there. */
  public void findBasedAt(NormalDn name, Consumer<V> found) {
    Consumer<IndexKeys> views = keys -> found.accept(view(keys));
    bases.table().forEach(name.treePosition(name.depth()), views);
    uncertainPlaces.forEachAtOrAbove(name, views);
  }

  /** Finds every view that holds an entry. */
  public void findHolders(Uuid entry, Consumer<V> found) {
    members.forEach(entry, keys -> found.accept(view(keys)));
  }

  /** Returns the approximate number of views that hold an entry. */
  public int countHolders(Uuid entry) {
    return members.count(entry);
  }

  /**
   * Finds every view that holds an entry at or below a place, has its base there, or searches
   * there.
   */
  public void findAtOrBelow(NormalDn name, Consumer<V> found) {
    findReaching(name, true, found);
    bases.forEachAtOrAbove(
        name,
        keys -> {
          Query query = keys.query();
          if (query.scope() > 1 || query.inScope(name).mayBeTrue()) {
            found.accept(view(keys));
          }
        });
  }

  /** Finds every view that holds, or may hold, an entry below that name, or has its base there. */
  public void findReachingBelow(NormalDn name, Consumer<V> found) {
    findReaching(name, false, found);
  }

  /**
   * Finds the views at or below a place. A name that may equal the place agrees with it in each
   * part that is certain, so it is registered at, below or above it. A name that is not a DN is
   * registered at the root.
   */
  private void findReaching(NormalDn name, boolean includesName, Consumer<V> found) {
    Consumer<IndexKeys> views = keys -> found.accept(view(keys));
    Octets from = name.treePosition(name.depth());
    places.forEachBelow(from, includesName, views);
    bases.forEachBelow(from, includesName, views);
    uncertainPlaces.forEachBelow(from, true, views);
    uncertainPlaces.forEachAtOrAbove(name, views);
  }

  public void findAll(Consumer<V> found) {
    bases.table().forEach(keys -> found.accept(view(keys)));
  }

  public IndexStats stats() {
    long keys = types.values().stream().mapToLong(TypeKeys::size).sum();
    return new IndexStats(
        views,
        keys + uncovered.size(),
        members.size(),
        places.table().size()
            + uncertainPlaces.table().size()
            + bases.table().size()
            + absent.table().size(),
        probes.sum(),
        candidates.sum());
  }

  @SuppressWarnings("unchecked")
  private V view(IndexKeys keys) {
    return (V) keys.view();
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

import io.stoa.coherence.index.IndexKeys;
import io.stoa.coherence.index.PredicateIndex;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a view in the index. Each view is entered once and removed exactly once, even if it
 * is invalidated while it is entered.
 *
 * <p>Octets: 32, and those of the keys.
 *
 * <p>Threading: thread-safe.
 */
final class IndexRegistration {
  private static final Object GONE = new Object();
  private static final VarHandle KEYS;

  static {
    try {
      KEYS = MethodHandles.lookup().findVarHandle(IndexRegistration.class, "keys", Object.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final PredicateIndex<View> index;
  private final NewestVersions newest;

  /** The {@link IndexKeys} of the view; null before it is entered, {@code GONE} at its end. */
  private volatile @Nullable Object keys;

  /**
   * Keys of entries that in-place updates have added; an immutable empty map until the first.
   * Guarded by {@code this}.
   */
  private Map<Uuid, IndexKeys> addedKeys = Map.of();

  IndexRegistration(PredicateIndex<View> index, NewestVersions newest) {
    this.index = index;
    this.newest = newest;
  }

  void register(View view, Collection<NormalDn> memberDns) {
    Members members = view.members();
    IndexKeys entered =
        members.isBaseAbsent()
            ? index.registerAbsent(view, view.query())
            : index.register(view, view.query(), members.uuids(), memberDns);
    if (!KEYS.compareAndSet(this, null, entered)) {
      index.unregister(view, entered);
    }
  }

  /** Adds the keys of an entry that the view is about to show, or to show by another name. */
  synchronized void add(View view, Uuid uuid, NormalDn name) {
    IndexKeys before = addedKeys.get(uuid);
    if (keys != GONE) {
      addedKeys = addedKeys.isEmpty() ? new HashMap<>() : addedKeys;
      addedKeys.put(uuid, index.addMember(view, view.query(), uuid, name));
    }
    if (before != null) {
      index.removeMember(before);
    }
  }

  /** True if any view shows a newer state of an entry. */
  boolean isSurpassed(Uuid uuid, Csn csn) {
    return newest.isSurpassed(index, uuid, csn);
  }

  /**
   * Invalidates all views with an older state of an entry; returns false if a newer one is shown.
   */
  boolean supersedes(Uuid uuid, Csn csn) {
    return newest.supersedes(index, uuid, csn);
  }

  /**
   * Removes the keys of an entry that the view no longer shows. Keys from the first registration
   * stay: a needless match does no harm.
   */
  synchronized void remove(Uuid uuid) {
    IndexKeys entryKeys = addedKeys.isEmpty() ? null : addedKeys.remove(uuid);
    if (entryKeys != null) {
      index.removeMember(entryKeys);
      newest.onRemoved(index, List.of(uuid));
    }
  }

  void unregister(View view) {
    if (KEYS.getAndSet(this, GONE) instanceof IndexKeys entered) {
      index.unregister(view, entered);
      newest.onRemoved(index, entered.members());
    }
    partFromAll();
  }

  private synchronized void partFromAll() {
    addedKeys.values().forEach(index::removeMember);
    newest.onRemoved(index, addedKeys.keySet());
    addedKeys = Map.of();
  }
}

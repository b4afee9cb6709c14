// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

import io.stoa.coherence.index.IndexKeys;
import io.stoa.coherence.index.PredicateIndex;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a view in the index. Each view is entered once and removed exactly once, even if it
 * is invalidated while it is entered.
 *
 * <p>Threading: thread-safe.
 */
final class IndexRegistration {
  private static final Object GONE = new Object();

  private final PredicateIndex<View> index;
  private final NewestVersions newest;
  private final AtomicReference<@Nullable Object> anchors = new AtomicReference<>();

  /** Keys of entries that in-place updates have added. Guarded by {@code this}. */
  private final Map<Uuid, IndexKeys> joined = new HashMap<>(0);

  IndexRegistration(PredicateIndex<View> index, NewestVersions newest) {
    this.index = index;
    this.newest = newest;
  }

  void enter(View view, Collection<NormalDn> memberDns) {
    Members members = view.members();
    IndexKeys entered =
        members.areAbsent()
            ? index.registerAbsent(view, view.query())
            : index.register(view, view.query(), members.uuids(), memberDns);
    if (!anchors.compareAndSet(null, entered)) {
      index.unregister(view, entered);
    }
  }

  /** Adds the keys of an entry that the view is about to show, or to show by another name. */
  synchronized void join(View view, Uuid uuid, NormalDn name) {
    IndexKeys before = joined.get(uuid);
    if (anchors.get() != GONE) {
      joined.put(uuid, index.join(view, view.query(), uuid, name));
    }
    if (before != null) {
      index.part(before);
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
  synchronized void part(Uuid uuid) {
    IndexKeys own = joined.remove(uuid);
    if (own != null) {
      index.part(own);
      newest.left(index, List.of(uuid));
    }
  }

  void leave(View view) {
    if (anchors.getAndSet(GONE) instanceof IndexKeys entered) {
      index.unregister(view, entered);
      newest.left(index, entered.members());
    }
    partFromAll();
  }

  private synchronized void partFromAll() {
    joined.values().forEach(index::part);
    newest.left(index, joined.keySet());
    joined.clear();
  }
}

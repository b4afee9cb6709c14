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
 * What a view has in the index: entered once, and taken out exactly once, even if it dies while it
 * is being entered. Thread-safe.
 */
final class IndexRegistration {
  private static final Object GONE = new Object();

  private final PredicateIndex<View> index;
  private final NewestVersions newest;
  private final AtomicReference<@Nullable Object> anchors = new AtomicReference<>();

  /** What it shows since it was changed in place; under the lock of this. */
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

  /** The view is about to show one more entry, or one by another name. */
  synchronized void join(View view, Uuid uuid, NormalDn name) {
    IndexKeys before = joined.get(uuid);
    if (anchors.get() != GONE) {
      joined.put(uuid, index.join(view, view.query(), uuid, name));
    }
    if (before != null) {
      index.part(before);
    }
  }

  /** Whether any view shows a newer state of an entry. */
  boolean isSurpassed(Uuid uuid, Csn csn) {
    return newest.isSurpassed(index, uuid, csn);
  }

  /** Kills all that shows an older state of an entry; false if a newer one is shown. */
  boolean supersedes(Uuid uuid, Csn csn) {
    return newest.supersedes(index, uuid, csn);
  }

  /** It shows it no more. What it was entered with once is left: to be found in vain is no harm. */
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

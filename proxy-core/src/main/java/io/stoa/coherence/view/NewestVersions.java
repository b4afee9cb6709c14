// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

import io.stoa.coherence.index.PredicateIndex;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.Uuid;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Prevents that a client is shown an older state of an entry after a newer one. Of two views that
 * show an entry, the one with the older state is invalidated.
 *
 * <ol>
 *   <li>A view is registered in the index before it looks here, with a full fence in between. So of
 *       two views at least one sees the other.
 *   <li>An entry that at most 32 views show is looked up in all of them.
 *   <li>For an entry that more views show, the newest state is kept. Each state is then looked up
 *       once, and not once for each view.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
final class NewestVersions {
  private static final int MAX_UNTRACKED_HOLDERS = 32;

  private final Map<Uuid, NewestState> states = new ConcurrentHashMap<>();

  /**
   * Newest state of an entry that many views show. Immutable.
   *
   * @param identity identity of this record of the entry, since it was first kept
   * @param noNewer true if no view shows a newer state; a later one is recorded here
   * @param noOlder true if no view shows an older state, except those about to be updated
   */
  private record NewestState(Object identity, Csn csn, boolean noNewer, boolean noOlder) {
    NewestState or(Csn other) {
      return csn.compareTo(other) < 0 ? new NewestState(identity, other, noNewer, false) : this;
    }

    /**
     * Returns the state after all views were examined. None shows a newer state than these; if
     * older views were invalidated, none shows an older one than {@code scannedCsn}.
     */
    NewestState afterScan(Csn scannedCsn, Csn newest, boolean killed) {
      NewestState next = or(newest);
      return new NewestState(
          identity, next.csn, true, next.noOlder || (killed && next.csn.equals(scannedCsn)));
    }
  }

  /** True if any view shows a newer state of an entry. */
  boolean isSurpassed(PredicateIndex<View> index, Uuid uuid, Csn csn) {
    NewestState state = record(index, uuid, csn);
    if (state != null && (state.noNewer() || state.csn().compareTo(csn) > 0)) {
      return state.csn().compareTo(csn) > 0;
    }
    HolderScan scan = new HolderScan(uuid, csn);
    index.findHolders(uuid, scan::visit);
    onScanned(state, scan, false);
    return scan.newest.compareTo(csn) > 0;
  }

  /** Invalidates all views with an older state; returns false if a newer one is shown. */
  boolean supersedes(PredicateIndex<View> index, Uuid uuid, Csn csn) {
    NewestState state = record(index, uuid, csn);
    if (state != null && state.csn().compareTo(csn) > 0) {
      return false;
    }
    HolderScan scan = new HolderScan(uuid, csn);
    if (state == null || !state.noNewer() || !state.noOlder()) {
      index.findHolders(uuid, scan::visitAndInvalidateOlder);
      onScanned(state, scan, true);
    }
    return scan.newest.compareTo(csn) <= 0;
  }

  /**
   * Called when a view no longer shows these entries. Entries that few views show are forgotten.
   * Forgetting is always safe: the next view examines all that show the entry.
   */
  void onRemoved(PredicateIndex<View> index, Collection<Uuid> uuids) {
    if (!states.isEmpty()) {
      for (Uuid uuid : uuids) {
        if (states.containsKey(uuid) && index.countHolders(uuid) <= MAX_UNTRACKED_HOLDERS) {
          states.remove(uuid);
        }
      }
    }
  }

  /** Returns the number of entries whose newest state is kept. */
  int count() {
    return states.size();
  }

  /** Records that a state is shown; returns null if only few views show the entry. */
  private @Nullable NewestState record(PredicateIndex<View> index, Uuid uuid, Csn csn) {
    if (index.countHolders(uuid) <= MAX_UNTRACKED_HOLDERS) {
      states.remove(uuid);
      return null;
    }
    NewestState now = states.get(uuid);
    if (now != null && now.csn().compareTo(csn) >= 0) {
      return now; // the usual case: most views show the newest
    }
    NewestState first = new NewestState(new Object(), csn, false, false);
    return states.merge(uuid, first, (state, one) -> state.or(csn));
  }

  private void onScanned(@Nullable NewestState before, HolderScan scan, boolean killed) {
    if (before != null) {
      states.computeIfPresent(
          scan.uuid,
          (same, now) ->
              now.identity() == before.identity()
                  ? now.afterScan(scan.ownCsn, scan.newest, killed)
                  : now);
    }
  }

  /** Examines all views that show an entry. Confined to one thread. */
  private static final class HolderScan {
    private final Uuid uuid;
    private final Csn ownCsn;
    private Csn newest;

    HolderScan(Uuid uuid, Csn ownCsn) {
      this.uuid = uuid;
      this.ownCsn = ownCsn;
      this.newest = ownCsn;
    }

    void visit(View view) {
      Csn csn = view.members().csn(uuid);
      if (csn != null && csn.compareTo(newest) > 0 && view.state() != ViewState.INVALID) {
        newest = csn;
      }
    }

    void visitAndInvalidateOlder(View view) {
      visit(view);
      Csn csn = view.members().csn(uuid);
      if (csn != null && csn.compareTo(ownCsn) < 0) {
        view.invalidate(InvalidationCause.NEWER_STATE_SHOWN);
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

import io.stoa.coherence.index.PredicateIndex;
import io.stoa.feed.event.Change.Renamed;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Invalidates views for changes that concern more of the tree than their own entry.
 *
 * <p>Threading: confined to the thread that applies changes.
 */
public final class SubtreeInvalidation {
  private final PredicateIndex<View> index;
  private final List<View> found = new ArrayList<>();

  SubtreeInvalidation(PredicateIndex<View> index) {
    this.index = index;
  }

  /**
   * Invalidates views for a rename. A feed reports the rename of a subtree once, not for each entry
   * in it.
   *
   * <ol>
   *   <li>Entries shown below the old name are gone, and entries below the new name may be new.
   *   <li>A leaf may have had entries below it at the time of the rename, which were moved since.
   *   <li>Entries shown below the new name of a leaf are gone, even if they were below another
   *       entry of that name.
   * </ol>
   */
  public void onRenamed(Renamed change) {
    NormalDn old = change.old();
    if (change.leaf()) {
      invalidateBelow(change.dn(), InvalidationCause.RENAME);
      if (old != null) {
        invalidateBasedAt(old);
        invalidateBelow(old, InvalidationCause.RENAME);
      }
      return;
    }
    invalidateAtOrBelow(change.dn(), InvalidationCause.RENAME);
    if (old != null) {
      invalidateAtOrBelow(old, InvalidationCause.RENAME);
    } else {
      invalidateUnproved();
    }
  }

  /**
   * Invalidates views below a deleted entry. A directory deletes only leaves, so entries that were
   * shown below it have been moved. A subtree that was moved to where the feed's account does not
   * see it is reported like one deleted entry.
   */
  void onDeleted(NormalDn name) {
    invalidateBelow(name, InvalidationCause.DELETE);
  }

  /**
   * Invalidates views that are, or may be, based at a name whose entry has left it. The feed may
   * not have reported that name before.
   */
  private void invalidateBasedAt(NormalDn name) {
    index.findBasedAt(name, found::add);
    found.removeIf(view -> !view.query().base().mayEqual(name));
    invalidateFound(InvalidationCause.RENAME);
  }

  /** Invalidates views that show or may show an entry below a name, where none exists any more. */
  void invalidateBelow(NormalDn name, InvalidationCause cause) {
    index.findReachingBelow(name, found::add);
    found.removeIf(view -> !mayReachBelow(view, name));
    invalidateFound(cause);
  }

  /**
   * Invalidates views that show another entry by a name that a write through Stoa has given. The
   * other entry is gone, though the feed has yet to report it.
   *
   * @param leaf true if the entry had none below it when it was read back, so that those shown
   *     there are gone
   */
  void onNameTaken(Uuid uuid, NormalDn name, boolean leaf) {
    index.findNamed(name, found::add);
    found.removeIf(view -> !view.members().mayShowAnother(uuid, name));
    invalidateFound(InvalidationCause.DELETE);
    if (leaf) {
      invalidateBelow(name, InvalidationCause.DELETE);
    }
  }

  private static boolean mayReachBelow(View view, NormalDn name) {
    NormalDn base = view.query().base(); // the base may be {@code name} in another spelling
    return base.isBelow(name) || base.isUncertain(name) || view.members().mayReachBelow(name);
  }

  /**
   * Invalidates all views that are not proved yet, because the old name is unknown. For a proved
   * view the names of all entries above are known.
   */
  private void invalidateUnproved() {
    index.findAll(found::add);
    found.removeIf(view -> view.state() == ViewState.VALID);
    invalidateFound(InvalidationCause.RENAME);
  }

  /**
   * Invalidates views at or below a place where anything may have happened; null for everywhere.
   */
  public void invalidateAtOrBelow(@Nullable NormalDn dn, InvalidationCause cause) {
    if (dn == null) {
      index.findAll(found::add);
    } else {
      index.findAtOrBelow(dn, found::add);
    }
    invalidateFound(cause);
  }

  /** Invalidates the views held by the feed at a place where it does not report everything. */
  public void onHidden(NormalDn dn) {
    index.findAtOrBelow(dn, found::add);
    found.removeIf(view -> view.state() != ViewState.VALID);
    invalidateFound(InvalidationCause.HIDDEN);
  }

  /**
   * Invalidates all views held by the feed that an entry they do not show may change, because the
   * feed does not report everything.
   */
  public void invalidateWide() {
    index.findAll(found::add);
    found.removeIf(view -> view.state() != ViewState.VALID || !view.mayGainEntries());
    invalidateFound(InvalidationCause.HIDDEN);
  }

  private void invalidateFound(InvalidationCause cause) {
    for (View view : found) {
      view.invalidate(cause);
    }
    found.clear();
  }
}

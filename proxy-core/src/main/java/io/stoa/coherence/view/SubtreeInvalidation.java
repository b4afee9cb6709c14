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
  public void renamed(Renamed change) {
    NormalDn old = change.old();
    if (change.leaf()) {
      left(change.dn(), InvalidationCause.RENAME);
      if (old != null) {
        at(old);
        left(old, InvalidationCause.RENAME);
      }
      return;
    }
    below(change.dn(), InvalidationCause.RENAME);
    if (old != null) {
      below(old, InvalidationCause.RENAME);
    } else {
      unplaced();
    }
  }

  /**
   * Invalidates views below a deleted entry. A directory deletes only leaves, so entries that were
   * shown below it have been moved. A subtree that was moved to where the feed's account does not
   * see it is reported like one deleted entry.
   */
  void gone(NormalDn name) {
    left(name, InvalidationCause.DELETE);
  }

  /**
   * Invalidates views that are, or may be, based at a name whose entry has left it. The feed may
   * not have reported that name before.
   */
  private void at(NormalDn name) {
    index.based(name, found::add);
    found.removeIf(view -> !view.query().base().mayBe(name));
    kill(InvalidationCause.RENAME);
  }

  /** Invalidates views that show or may show an entry below a name, where none exists any more. */
  void left(NormalDn name, InvalidationCause cause) {
    index.reachingBelow(name, found::add);
    found.removeIf(view -> !mayReachBelow(view, name));
    kill(cause);
  }

  /**
   * Invalidates views that show another entry by a name that a write through Stoa has given. The
   * other entry is gone, though the feed has yet to report it.
   *
   * @param leaf true if the entry had none below it when it was read back, so that those shown
   *     there are gone
   */
  void taken(Uuid uuid, NormalDn name, boolean leaf) {
    index.named(name, found::add);
    found.removeIf(view -> !view.members().mayShowAnother(uuid, name));
    kill(InvalidationCause.DELETE);
    if (leaf) {
      left(name, InvalidationCause.DELETE);
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
  private void unplaced() {
    index.all(found::add);
    found.removeIf(view -> view.state() == ViewState.VALID);
    kill(InvalidationCause.RENAME);
  }

  /**
   * Invalidates views at or below a place where anything may have happened; null for everywhere.
   */
  public void below(@Nullable NormalDn place, InvalidationCause cause) {
    if (place == null) {
      index.all(found::add);
    } else {
      index.below(place, found::add);
    }
    kill(cause);
  }

  /** Invalidates the views held by the feed at a place where it does not report everything. */
  public void hidden(NormalDn place) {
    index.below(place, found::add);
    found.removeIf(view -> view.state() != ViewState.VALID);
    kill(InvalidationCause.HIDDEN);
  }

  /**
   * Invalidates all views held by the feed that an entry they do not show may change, because the
   * feed does not report everything.
   */
  public void unseen() {
    index.all(found::add);
    found.removeIf(view -> view.state() != ViewState.VALID || !view.isWide());
    kill(InvalidationCause.HIDDEN);
  }

  private void kill(InvalidationCause cause) {
    for (View view : found) {
      view.kill(cause);
    }
    found.clear();
  }
}

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
 * Kills views for changes that concern more places in the tree than that of their entry. Confined
 * to the thread that applies changes.
 */
public final class SubtreeInvalidation {
  private final PredicateIndex<View> index;
  private final List<View> found = new ArrayList<>();

  SubtreeInvalidation(PredicateIndex<View> index) {
    this.index = index;
  }

  /**
   * A feed says one thing when a whole subtree gets another name: nothing of the entries in it.
   * What is shown below the old name is gone, and what is looked for below the new one may have
   * come. What has nothing below it now may have had when it got its name, and that has left it
   * since; so has what was seen below its new name, be it below another entry that had that before.
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
   * An entry is gone, for the account of the feed at least: a subtree that was moved to where that
   * does not see it is told like one entry that was deleted. A directory deletes only what has
   * nothing below it, so that where anything was seen below it has been moved.
   */
  void gone(NormalDn name) {
    left(name, InvalidationCause.DELETE);
  }

  /** Who looked there found the entry, by a name that the feed has not told of it yet, perhaps. */
  private void at(NormalDn name) {
    index.based(name, found::add);
    found.removeIf(view -> !view.query().base().mayBe(name));
    kill(InvalidationCause.RENAME);
  }

  /** There is nothing below that name: what was seen there has left it. */
  void left(NormalDn name, InvalidationCause cause) {
    index.reachingBelow(name, found::add);
    found.removeIf(view -> !mayReachBelow(view, name));
    kill(cause);
  }

  /**
   * An entry has that name, as who wrote it was told: another that was shown by it is gone, though
   * the feed has not come to that.
   *
   * @param leaf whether nothing was below it when it was read: what was seen there is gone
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
    NormalDn base = view.query().base(); // it may be the one itself, by another spelling
    return base.isBelow(name) || base.isUncertain(name) || view.members().mayReachBelow(name);
  }

  /** A view is proved to be seen only after the names of all above it have become known. */
  private void unplaced() {
    index.all(found::add);
    found.removeIf(view -> view.state() == ViewState.VALID);
    kill(InvalidationCause.RENAME);
  }

  /** Anything may have happened there, or anywhere. */
  public void below(@Nullable NormalDn place, InvalidationCause cause) {
    if (place == null) {
      index.all(found::add);
    } else {
      index.below(place, found::add);
    }
    kill(cause);
  }

  /** There is something of which the feed does not tell: only what rests on the feed is void. */
  public void hidden(NormalDn place) {
    index.below(place, found::add);
    found.removeIf(view -> view.state() != ViewState.VALID);
    kill(InvalidationCause.HIDDEN);
  }

  /** The feed does not tell of everything: what it does not show may change any such view. */
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

// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

import io.stoa.coherence.index.EntryChange;
import io.stoa.coherence.index.PredicateIndex;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Anything;
import io.stoa.feed.event.Change.Deleted;
import io.stoa.feed.event.Change.Renamed;
import io.stoa.feed.event.Change.Source;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.filter.Truth;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a change does to the views: those whose answer it alters, or may alter, are changed in place
 * or die. Confined to the thread that applies changes.
 */
public final class Invalidator {
  private final PredicateIndex<View> index;
  private final SubtreeInvalidation ranges;
  private final LargeImages large = new LargeImages();
  private final IncrementalUpdate inPlace;
  private final Consumer<Truth> evaluated;
  private final List<View> found = new ArrayList<>();

  /** What is done with a view that a change alters. */
  private interface Settling {
    /**
     * Whether it is right after that.
     *
     * @param before where the entry was, if that is known
     */
    boolean isRight(View view, @Nullable NormalDn before);
  }

  /**
   * Makes it for these views.
   *
   * @param evaluated hears whenever it is looked whether an entry matches a view
   */
  public Invalidator(PredicateIndex<View> index, Consumer<Truth> evaluated) {
    this.index = index;
    this.evaluated = evaluated;
    this.inPlace = new IncrementalUpdate(evaluated);
    this.ranges = new SubtreeInvalidation(index);
  }

  /** For what is known not to be of one entry. */
  public SubtreeInvalidation ranges() {
    return ranges;
  }

  /**
   * Changes or kills what the change concerns.
   *
   * @param old where its entry was before, if that is known
   * @return the views that were changed in place
   */
  public List<View> apply(Change change, @Nullable NormalDn old) {
    List<View> touched = new ArrayList<>(0);
    settle(
        change,
        old,
        (view, before) -> inPlace.settles(view, change, before, () -> touched.add(view)));
    return touched;
  }

  /**
   * The same for what has been applied already, if that may have been in vain: only who shows just
   * that is right.
   */
  public void applyAgain(Change change, @Nullable NormalDn old) {
    settle(change, old, (view, before) -> IncrementalUpdate.isAt(view, change));
  }

  /**
   * The same for what may be counted from an earlier time again: who shows a later count is not
   * right by that.
   */
  public List<View> applyBehind(Change change, @Nullable NormalDn old) {
    List<View> touched = new ArrayList<>(0);
    settle(
        change,
        old,
        (view, before) ->
            !IncrementalUpdate.isAhead(view, change)
                && inPlace.settles(view, change, before, () -> touched.add(view)));
    return touched;
  }

  /**
   * The same for a change after something newer of its entry has been told, which may never have
   * been: nothing is changed in place for it.
   */
  public void applyLate(Change change, @Nullable NormalDn old) {
    settle(change, old, (view, before) -> IncrementalUpdate.isAhead(view, change));
  }

  /**
   * The same for a change whose server counts from an earlier time again: by what is shown nobody
   * can tell whether it is older.
   */
  public void applyBack(Change change, @Nullable NormalDn old) {
    settle(change, old, (view, before) -> false);
  }

  /**
   * Where something was done through Stoa another entry is gone by whose name it is known, also if
   * the feed has told of the one already, and has lost the other.
   */
  public void taken(Change change) {
    Uuid uuid = change.uuid();
    NormalDn now = change.dn();
    boolean there = !(change instanceof Deleted);
    if (there && uuid != null && now != null && change.receipt().source() == Source.OWN_WRITE) {
      Image image = change.image();
      ranges.taken(uuid, now, image != null && image.isLeaf());
    }
  }

  /** Kills what the change alters, unless it is right nevertheless, or has been made so. */
  private void settle(Change change, @Nullable NormalDn old, Settling settling) {
    large.prepare(change);
    if (change instanceof Anything anything) {
      ranges.below(anything.below(), InvalidationCause.ANYTHING);
      return;
    }
    if (change instanceof Renamed renamed) {
      ranges.renamed(renamed);
    }
    boolean gone = change instanceof Deleted;
    NormalDn now = gone ? null : change.dn();
    NormalDn before = gone ? change.dn() : old;
    if (gone && before != null) {
      ranges.gone(before);
    }
    taken(change);
    if (gone && change.uuid() == null && before != null) {
      inPlace.deleted(before, change.receipt().arrivedNanos());
    }
    index.affected(new EntryChange(change.uuid(), change.image(), before, now, null), found::add);
    for (View view : found) {
      if (alters(view, change, before, now) && !settling.isRight(view, before)) {
        view.kill(gone ? InvalidationCause.DELETE : InvalidationCause.CHANGE);
      }
    }
    found.clear();
  }

  /** What the feed has told of an entry was not so, or may not be: whoever shows it must not. */
  public void withdraw(Uuid uuid, List<View> touched, InvalidationCause cause) {
    index.holders(uuid, found::add);
    found.addAll(touched);
    found.forEach(view -> view.kill(cause));
    found.clear();
  }

  /** Whether it was shown is known without looking at what it was: a view knows whom it shows. */
  private boolean alters(
      View view, Change change, @Nullable NormalDn before, @Nullable NormalDn now) {
    Uuid uuid = change.uuid();
    return (uuid == null && now == null) // found by the name of what is gone
        || (uuid != null && view.members().contains(uuid))
        || (now != null && denies(view, now))
        || (now != null && mayShow(view, change.image(), now))
        || (moved(before, now) && (isAbove(before, view) || isAbove(now, view)));
  }

  private boolean mayShow(View view, @Nullable Image image, NormalDn now) {
    Truth shown = image == null ? view.query().inScope(now) : view.query().matches(image);
    evaluated.accept(shown);
    return shown == Truth.TRUE || shown == Truth.UNKNOWN;
  }

  /**
   * Whether it says that its base is not there, and what is told to be at that name, above or below
   * it may be why it is.
   */
  private static boolean denies(View view, NormalDn now) {
    NormalDn base = view.query().base();
    return view.members().areAbsent()
        && !(base.isSurelyElsewhere(now) && now.isSurelyElsewhere(base));
  }

  private static boolean moved(@Nullable NormalDn before, @Nullable NormalDn now) {
    return before == null || now == null || !before.equals(now);
  }

  /** An answer says that its base is there, or which entry above is. */
  private static boolean isAbove(@Nullable NormalDn dn, View view) {
    return dn != null && view.query().base().isBelowOrEqual(dn);
  }
}

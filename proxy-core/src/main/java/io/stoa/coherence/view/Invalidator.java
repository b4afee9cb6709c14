// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

import io.stoa.coherence.index.EntryChange;
import io.stoa.coherence.index.PredicateIndex;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Deleted;
import io.stoa.feed.event.Change.Renamed;
import io.stoa.feed.event.Change.Reporter;
import io.stoa.feed.event.Change.Unknown;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.filter.Truth;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Applies a change to the views. A view stands for one cached result that a feed holds. Each view
 * that the change alters, or may alter, is updated in place or invalidated. Results without a feed
 * end by {@code CacheEpoch}.
 *
 * <p>Threading: confined to the thread that applies changes.
 */
public final class Invalidator {
  private final PredicateIndex<View> index;
  private final SubtreeInvalidation subtrees;
  private final LargeImages large = new LargeImages();
  private final IncrementalUpdate updates;
  private final Consumer<Truth> listener;
  private final List<View> found = new ArrayList<>();

  /** Handling of a view that a change alters. */
  private interface ViewHandler {
    /**
     * Handles the view; returns true if the view is valid afterwards.
     *
     * @param before the former name of the entry; null if not known
     */
    boolean handle(View view, @Nullable NormalDn before);
  }

  /**
   * Makes an instance for the views of an index.
   *
   * @param listener called for each evaluation of a view's query for an entry
   */
  public Invalidator(PredicateIndex<View> index, Consumer<Truth> listener) {
    this.index = index;
    this.listener = listener;
    this.updates = new IncrementalUpdate(listener);
    this.subtrees = new SubtreeInvalidation(index);
  }

  /** Returns the invalidation of subtrees, for changes that concern more than one entry. */
  public SubtreeInvalidation subtrees() {
    return subtrees;
  }

  /**
   * Updates or invalidates the views that the change alters.
   *
   * @param old the former name of the entry; null if not known
   * @return the views that were updated in place
   */
  public List<View> apply(Change change, @Nullable NormalDn old) {
    List<View> updatedViews = new ArrayList<>(0);
    applyTo(
        change,
        old,
        (view, before) -> updates.update(view, change, before, () -> updatedViews.add(view)));
    return updatedViews;
  }

  /**
   * Applies a change once more that may have had no effect. A view is right only if it shows the
   * state that the change has made.
   */
  public void applyAgain(Change change, @Nullable NormalDn old) {
    applyTo(change, old, (view, before) -> IncrementalUpdate.isAt(view, change));
  }

  /**
   * Applies a change after which later CSNs may belong to earlier changes. A view is not right
   * merely because it shows a later CSN.
   */
  public List<View> applyBehind(Change change, @Nullable NormalDn old) {
    List<View> updatedViews = new ArrayList<>(0);
    applyTo(
        change,
        old,
        (view, before) ->
            !IncrementalUpdate.isAhead(view, change)
                && updates.update(view, change, before, () -> updatedViews.add(view)));
    return updatedViews;
  }

  /**
   * Applies a change after a newer one of its entry was reported, which may never have taken
   * effect. A view is right if it shows a newer state; no view is updated in place.
   */
  public void applyLate(Change change, @Nullable NormalDn old) {
    applyTo(change, old, (view, before) -> IncrementalUpdate.isAhead(view, change));
  }

  /**
   * Applies a change of a server that assigns CSNs from an earlier time than before. The shown CSNs
   * do not tell which state is older, so every altered view is invalidated.
   */
  public void applyRegression(Change change, @Nullable NormalDn old) {
    applyTo(change, old, (view, before) -> false);
  }

  /**
   * Invalidates views that show another entry by the name that a write through Stoa has given. The
   * other entry is gone, even if the feed has reported the write and left out the deletion.
   */
  public void onNameTaken(Change change) {
    Uuid uuid = change.uuid();
    NormalDn now = change.dn();
    boolean there = !(change instanceof Deleted);
    if (there && uuid != null && now != null && change.receipt().reporter() == Reporter.OWN_WRITE) {
      Image image = change.image();
      subtrees.onNameTaken(uuid, now, image != null && image.isLeaf());
    }
  }

  /** Invalidates the views that the change alters, except those that are right, or made right. */
  private void applyTo(Change change, @Nullable NormalDn old, ViewHandler handler) {
    large.prepare(change);
    if (change instanceof Unknown unknown) {
      subtrees.invalidateAtOrBelow(unknown.below(), InvalidationCause.ANYTHING);
      return;
    }
    if (change instanceof Renamed renamed) {
      subtrees.onRenamed(renamed);
    }
    boolean gone = change instanceof Deleted;
    NormalDn now = gone ? null : change.dn();
    NormalDn before = gone ? change.dn() : old;
    if (gone && before != null) {
      subtrees.onDeleted(before);
    }
    onNameTaken(change);
    if (gone && change.uuid() == null && before != null) {
      updates.onDeletedThroughStoa(before, change.receipt().arrivedNanos());
    }
    index.findAffected(new EntryChange(change.uuid(), change.image(), before, now), found::add);
    for (View view : found) {
      if (alters(view, change, before, now) && !handler.handle(view, before)) {
        view.invalidate(gone ? InvalidationCause.DELETE : InvalidationCause.CHANGE);
      }
    }
    found.clear();
  }

  /**
   * Invalidates the views of an entry after a reported change that did not, or may not, take
   * effect.
   */
  public void withdraw(Uuid uuid, List<View> updatedViews, InvalidationCause cause) {
    index.findHolders(uuid, found::add);
    found.addAll(updatedViews);
    found.forEach(view -> view.invalidate(cause));
    found.clear();
  }

  /**
   * True if the change alters the view. The former state of the entry is not needed, since a view
   * knows which entries it shows.
   */
  private boolean alters(
      View view, Change change, @Nullable NormalDn before, @Nullable NormalDn now) {
    Uuid uuid = change.uuid();
    return (uuid == null && now == null) // found by the name of the deleted entry
        || (uuid != null && view.members().contains(uuid))
        || (now != null && mayContradictAbsence(view, now))
        || (now != null && mayShow(view, change.image(), now))
        || (moved(before, now) && (isAbove(before, view) || isAbove(now, view)));
  }

  private boolean mayShow(View view, @Nullable Image image, NormalDn now) {
    Truth shown = image == null ? view.query().inScope(now) : view.query().matches(image);
    listener.accept(shown);
    return shown == Truth.TRUE || shown == Truth.UNKNOWN;
  }

  /**
   * True if the view says that its base does not exist, and the entry at that name, above or below
   * it may be the reason.
   */
  private static boolean mayContradictAbsence(View view, NormalDn now) {
    NormalDn base = view.query().base();
    return view.members().isBaseAbsent()
        && !(base.isSurelyElsewhere(now) && now.isSurelyElsewhere(base));
  }

  private static boolean moved(@Nullable NormalDn before, @Nullable NormalDn now) {
    return before == null || now == null || !before.equals(now);
  }

  /**
   * True if the name is that of the base or above it: a result depends on the existence of its
   * base.
   */
  private static boolean isAbove(@Nullable NormalDn dn, View view) {
    return dn != null && view.query().base().isBelowOrEqual(dn);
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

import io.stoa.coherence.view.EntryUpdate.Shown;
import io.stoa.coherence.view.Members.Member;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.Change.Deleted;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.filter.Truth;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Updates results in place where the result after a change is certain: a shown entry has changed,
 * has to be removed, or has to be added. In all other cases the view must be invalidated. This is
 * incremental view maintenance (Gupta and Mumick, 1995).
 *
 * <p>Threading: confined to the thread that applies changes.
 */
final class IncrementalUpdate {
  /**
   * Maximum number of deleted names: 10,000. With more, no entry is added to a view for a while.
   */
  private static final int MAX_DELETED = 10_000;

  private final Consumer<Truth> listener;
  private final Map<NormalDn, Long> deleted = new HashMap<>();
  private long allDeletedUntil;
  private boolean anyDeleted;

  /**
   * Makes an instance.
   *
   * @param listener called for each evaluation of a view's query for an entry
   */
  IncrementalUpdate(Consumer<Truth> listener) {
    this.listener = listener;
  }

  /**
   * Remembers an entry that was deleted through Stoa. The feed may have yet to report earlier
   * changes of it, and these must not add the entry to a view.
   */
  void onDeletedThroughStoa(NormalDn name, long now) {
    if (deleted.size() >= MAX_DELETED) {
      deleted.clear();
      anyDeleted = true;
      allDeletedUntil = now;
    }
    deleted.put(name, now);
  }

  private boolean wasDeletedRecently(View view, NormalDn name) {
    Long when = deleted.get(name);
    if (when != null && view.isFeedPast(when)) {
      deleted.remove(name);
      when = null;
    }
    anyDeleted &= !view.isFeedPast(allDeletedUntil);
    return when != null || anyDeleted;
  }

  /**
   * Updates a view for a change that may alter it. A deletion through Stoa names only the DN, which
   * another entry may have by now.
   *
   * @param old the former name of the entry; null if not known
   * @param beforeUpdate called before an update in place
   * @return true if the view is right after the change; otherwise it must be invalidated
   */
  boolean update(View view, Change change, @Nullable NormalDn old, Runnable beforeUpdate) {
    if (!view.mayBeUpdated()) {
      return false;
    }
    Uuid uuid = change.uuid();
    Csn csn = change.csn();
    Member shown = uuid == null ? null : view.members().find(uuid);
    if (uuid == null || csn == null || (shown == null && change instanceof Deleted)) {
      return false;
    }
    return shown == null
        ? updateNotShown(view, change, old, csn, beforeUpdate)
        : updateShown(view, change, shown, csn, beforeUpdate);
  }

  /** True if a view shows a newer state of an entry than the change, which has not deleted it. */
  static boolean isAhead(View view, Change change) {
    Uuid uuid = change.uuid();
    Csn csn = change.csn();
    Member shown = uuid == null ? null : view.members().find(uuid);
    Csn shownCsn = shown == null ? null : shown.csn();
    return view.mayBeUpdated()
        && !(change instanceof Deleted)
        && csn != null
        && shownCsn != null
        && shownCsn.compareTo(csn) > 0;
  }

  /** True if a view shows an entry in the state that the change has made. */
  static boolean isAt(View view, Change change) {
    Uuid uuid = change.uuid();
    Member shown = uuid == null ? null : view.members().find(uuid);
    Csn shownCsn = shown == null ? null : shown.csn();
    return shownCsn != null && shownCsn.equals(change.csn());
  }

  private static boolean removeEntry(View view, Member shown, Runnable beforeUpdate) {
    beforeUpdate.run();
    return view.update(EntryUpdate.removing(shown.uuid()));
  }

  /** Handles an entry that the view shows, perhaps in a newer state. */
  private boolean updateShown(
      View view, Change change, Member shown, Csn csn, Runnable beforeUpdate) {
    Csn shownCsn = shown.csn();
    NormalDn name = shown.dn();
    if (shownCsn == null || name == null || shownCsn.compareTo(csn) > 0) {
      return shownCsn != null && name != null && !(change instanceof Deleted);
    }
    NormalDn newName = change instanceof Deleted ? null : change.dn();
    if (!name.equals(newName) && (isAbove(name, view) || isAbove(newName, view))) {
      return false;
    }
    Truth truth = truth(view, change);
    boolean same = shownCsn.equals(csn);
    return switch (truth) {
      case TRUE -> same || addEntry(view, change, shown.uuid(), csn, beforeUpdate);
      case FALSE, UNDEFINED, NO_MATCH -> !same && removeEntry(view, shown, beforeUpdate);
      case UNKNOWN -> false;
    };
  }

  /**
   * Handles an entry that the view does not show. A result that was ahead of the feed may have left
   * it out because the entry has come and gone since.
   */
  private boolean updateNotShown(
      View view, Change change, @Nullable NormalDn old, Csn csn, Runnable beforeUpdate) {
    NormalDn newName = change.dn();
    Uuid uuid = change.uuid();
    boolean moved = newName == null || !newName.equals(old);
    if (uuid == null
        || newName == null
        || (moved && (isAbove(old, view) || isAbove(newName, view)))) {
      return false;
    }
    return truth(view, change) == Truth.TRUE
        && view.isFeedPast()
        && !wasDeletedRecently(view, newName)
        && addEntry(view, change, uuid, csn, beforeUpdate);
  }

  private static boolean addEntry(
      View view, Change change, Uuid uuid, Csn csn, Runnable beforeUpdate) {
    Image image = change.image();
    if (image == null || !image.isComplete() || DynamicEntries.isDynamic(image.entry())) {
      return false;
    }
    beforeUpdate.run();
    return view.update(new EntryUpdate(uuid, new Shown(csn, image)));
  }

  private Truth truth(View view, Change change) {
    Image image = change.image();
    if (change instanceof Deleted) {
      return Truth.FALSE;
    }
    Truth truth = image == null ? Truth.UNKNOWN : view.query().matches(image);
    listener.accept(truth);
    return truth;
  }

  private static boolean isAbove(@Nullable NormalDn dn, View view) {
    return dn != null && view.query().base().isBelowOrEqual(dn);
  }
}

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
 * Changes answers in place where it is beyond doubt what they are after a change: what an entry
 * that is shown looks like now, that it is shown no more, or for the first time. Everything else
 * must die. Confined to the thread that applies changes.
 */
final class IncrementalUpdate {
  /** More are not told apart: then nothing is shown for the first time for a while. */
  private static final int MOST_DELETED = 10_000;

  private final Consumer<Truth> evaluated;
  private final Map<NormalDn, Long> deleted = new HashMap<>();
  private long allDeletedUntil;
  private boolean anyDeleted;

  /**
   * Makes it.
   *
   * @param evaluated hears whenever it is looked whether an entry matches a view
   */
  IncrementalUpdate(Consumer<Truth> evaluated) {
    this.evaluated = evaluated;
  }

  /**
   * Through Stoa an entry was deleted, of which the feed may have yet to tell what happened to it
   * before: that must not show it again.
   */
  void deleted(NormalDn name, long now) {
    if (deleted.size() >= MOST_DELETED) {
      deleted.clear();
      anyDeleted = true;
      allDeletedUntil = now;
    }
    deleted.put(name, now);
  }

  private boolean mayComeBack(View view, NormalDn name) {
    Long when = deleted.get(name);
    if (when != null && view.isOvertaken(when)) {
      deleted.remove(name);
      when = null;
    }
    anyDeleted &= !view.isOvertaken(allDeletedUntil);
    return when != null || anyDeleted;
  }

  /**
   * Whether the view is right after the change, which may alter it; if not, it must die. Of what is
   * deleted through Stoa only the name is known, and another entry may have that by now.
   *
   * @param old where the entry was before, if that is known
   * @param touched is told if it was changed for that
   */
  boolean settles(View view, Change change, @Nullable NormalDn old, Runnable touched) {
    if (!view.mayBeAmended()) {
      return false;
    }
    Uuid uuid = change.uuid();
    Csn csn = change.csn();
    Member shown = uuid == null ? null : view.members().find(uuid);
    if (uuid == null || csn == null || (shown == null && change instanceof Deleted)) {
      return false;
    }
    return shown == null
        ? comes(view, change, old, csn, touched)
        : stays(view, change, shown, csn, touched);
  }

  /** Whether a view shows a newer state of an entry that is still there after the change. */
  static boolean isAhead(View view, Change change) {
    Uuid uuid = change.uuid();
    Csn csn = change.csn();
    Member shown = uuid == null ? null : view.members().find(uuid);
    Csn own = shown == null ? null : shown.csn();
    return view.mayBeAmended()
        && !(change instanceof Deleted)
        && csn != null
        && own != null
        && own.compareTo(csn) > 0;
  }

  /** Whether a view shows an entry just as the change has left it. */
  static boolean isAt(View view, Change change) {
    Uuid uuid = change.uuid();
    Member shown = uuid == null ? null : view.members().find(uuid);
    Csn own = shown == null ? null : shown.csn();
    return own != null && own.equals(change.csn());
  }

  private static boolean removes(View view, Member shown, Runnable touched) {
    touched.run();
    return view.amend(EntryUpdate.removing(shown.uuid()));
  }

  /** It is shown, in a state that may be as new. */
  private boolean stays(View view, Change change, Member shown, Csn csn, Runnable touched) {
    Csn own = shown.csn();
    NormalDn name = shown.dn();
    if (own == null || name == null || own.compareTo(csn) > 0) {
      return own != null && name != null && !(change instanceof Deleted);
    }
    NormalDn now = change instanceof Deleted ? null : change.dn();
    if (!name.equals(now) && (isAbove(name, view) || isAbove(now, view))) {
      return false;
    }
    Truth truth = truth(view, change);
    boolean same = own.equals(csn);
    return switch (truth) {
      case TRUE -> same || shows(view, change, shown.uuid(), csn, touched);
      case FALSE, UNDEFINED, NO_MATCH -> !same && removes(view, shown, touched);
      case UNKNOWN -> false;
    };
  }

  /**
   * It is not shown. What was read may have been ahead of the feed: then it may have come and gone
   * again.
   */
  private boolean comes(
      View view, Change change, @Nullable NormalDn old, Csn csn, Runnable touched) {
    NormalDn now = change.dn();
    Uuid uuid = change.uuid();
    boolean moved = now == null || !now.equals(old);
    if (uuid == null || now == null || (moved && (isAbove(old, view) || isAbove(now, view)))) {
      return false;
    }
    return truth(view, change) == Truth.TRUE
        && view.isOvertaken()
        && !mayComeBack(view, now)
        && shows(view, change, uuid, csn, touched);
  }

  private static boolean shows(View view, Change change, Uuid uuid, Csn csn, Runnable touched) {
    Image image = change.image();
    if (image == null || !image.complete() || DynamicEntries.is(image.entry())) {
      return false;
    }
    touched.run();
    return view.amend(new EntryUpdate(uuid, new Shown(csn, image)));
  }

  private Truth truth(View view, Change change) {
    Image image = change.image();
    if (change instanceof Deleted) {
      return Truth.FALSE;
    }
    Truth truth = image == null ? Truth.UNKNOWN : view.query().matches(image);
    evaluated.accept(truth);
    return truth;
  }

  private static boolean isAbove(@Nullable NormalDn dn, View view) {
    return dn != null && view.query().base().isBelowOrEqual(dn);
  }
}

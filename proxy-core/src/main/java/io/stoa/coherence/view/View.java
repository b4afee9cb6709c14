// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

import io.stoa.coherence.index.PredicateIndex;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.filter.Query;
import io.stoa.ldap.protocol.Uuid;
import io.stoa.ldap.schema.NormalDn;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * A stored result of one query: the entries that it shows, and its state. The state moves forward
 * only ({@link ViewState}).
 *
 * <p>Octets: 48, those of its registration and keys in the index, of its members and of its query.
 *
 * <p>Threading: thread-safe.
 */
public final class View {
  private static final VarHandle STATE;
  private static final VarHandle UNCONFIRMED;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      STATE = lookup.findVarHandle(View.class, "state", ViewState.class);
      UNCONFIRMED = lookup.findVarHandle(View.class, "unconfirmedUpdates", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Query query;
  private final EpochState epoch;
  private final ViewListener listener;
  private final IndexRegistration registration;
  private volatile ViewState state = ViewState.PENDING;

  /** Number of in-place updates not yet confirmed. */
  private volatile int unconfirmedUpdates;

  /** Written only by the thread that applies changes. */
  private volatile Members members;

  /** Written before the view is handed to the thread that applies changes, and read there. */
  private long readNanos;

  /**
   * Makes a pending view. No change finds it before {@link #register}.
   *
   * @param listener notified if a change invalidates the view
   */
  public View(
      Query query,
      Members members,
      EpochState epoch,
      PredicateIndex<View> index,
      ViewListener listener) {
    this.query = query;
    this.members = members;
    this.epoch = epoch;
    this.listener = listener;
    this.registration = new IndexRegistration(index, epoch.newest());
  }

  public Query query() {
    return query;
  }

  public Members members() {
    return members;
  }

  public ViewState state() {
    return state;
  }

  /**
   * True if the result may be served at that time. The time must be read after the decision to
   * serve: a thread that was suspended in between must not use an old time.
   */
  public boolean isLive(long now) {
    return state == ViewState.VALID && epoch.isLive(now);
  }

  /** Sets a time at or after the arrival of the answer: the result may include changes up to it. */
  public void setReadNanos(long nanos) {
    readNanos = nanos;
  }

  /** Returns the proof that each hit needs; null if the lease is enough. */
  public FreshnessGuarantee.@Nullable Proof proof() {
    return epoch.proof();
  }

  /** True if the view may be updated in place instead of being invalidated. */
  boolean mayBeUpdated() {
    return state == ViewState.VALID
        && !members.isBaseAbsent()
        && epoch.mayServeFeedEntries()
        && listener.mayUpdateInPlace();
  }

  /**
   * True if all changes that the answer may include have been applied, so that later ones are new.
   */
  boolean isFeedPast() {
    return isFeedPast(readNanos);
  }

  /** True if all changes acknowledged by that time have been applied. */
  boolean isFeedPast(long nanos) {
    return epoch.hasReached(nanos);
  }

  /**
   * Updates the result in place, for all later hits. Returns false if that is not possible; the
   * view must then be invalidated.
   *
   * <p>Another result may already show a newer state that the feed has not reported. Its thread
   * registers it and then examines all others. So this view publishes its own state first, and then
   * looks.
   */
  boolean update(EntryUpdate update) {
    UNCONFIRMED.getAndAdd(this, 1);
    EntryUpdate.Shown shown = update.shown();
    Uuid uuid = update.uuid();
    if (shown != null) {
      registration.add(this, uuid, shown.image().dn());
    }
    members = update.applied(members);
    MemoryFences.fullFence();
    if (shown == null) {
      registration.remove(uuid);
    } else if (registration.isSurpassed(uuid, shown.csn())) {
      return false;
    }
    return listener.onUpdated(this, update);
  }

  /**
   * Invalidates the older one of two views that show the same entry. An answer may be ahead of the
   * feed. A client that has seen it must not be shown an older state of an entry afterwards.
   *
   * @return false if this view is the older one
   */
  public boolean supersedes() {
    Members current = members;
    for (Uuid uuid : current.uuids()) {
      Csn csn = current.csn(uuid);
      if (csn != null && !registration.supersedes(uuid, csn)) {
        onEvicted();
      }
    }
    return state != ViewState.INVALID;
  }

  /** Confirms one in-place update. */
  public void confirmUpdate() {
    UNCONFIRMED.getAndAdd(this, -1);
  }

  /**
   * True if the directory has confirmed all that the view shows. A reported change may never take
   * effect, and a result that is served by its age would go on showing it.
   */
  public boolean isConfirmed() {
    return unconfirmedUpdates == 0;
  }

  /** True if an entry that the view does not show may change it. */
  public boolean mayGainEntries() {
    return query.scope() != 0 || members.size() == 0;
  }

  /**
   * True if the view may answer a request that must not be given an older state than that of its
   * arrival.
   *
   * @param received the time when the request arrived
   */
  public boolean isProved(long received) {
    return state == ViewState.VALID && epoch.hasProved(received);
  }

  /** True if the result is invalid, whatever its age. */
  public boolean isInvalid() {
    return state == ViewState.INVALID || epoch.isOver();
  }

  /** Registers the view in the index, so that every change applied from now on finds it. */
  public void register(Collection<NormalDn> memberDns) {
    registration.register(this, memberDns);
  }

  /**
   * Marks that no applied change contradicts the answer; returns false if the view was invalidated.
   */
  public boolean markUnseen() {
    return tryMove(ViewState.AGE_ONLY);
  }

  /**
   * Marks that the feed reports every change of the view; returns false if the view was
   * invalidated.
   */
  public boolean markValid() {
    return tryMove(ViewState.VALID);
  }

  /** Invalidates the view; returns false if it was invalid before. */
  public boolean invalidate(InvalidationCause why) {
    boolean killed = tryMove(ViewState.INVALID);
    if (killed) {
      registration.unregister(this);
      epoch.count(why);
      listener.onInvalidated(this, why);
    }
    return killed;
  }

  /**
   * Invalidates the view because the directory answers otherwise, and no reported change explains
   * it.
   */
  public void onMismatch() {
    epoch.countMismatch();
    invalidate(InvalidationCause.MISMATCH);
  }

  /** Called when the result is no longer stored. */
  public void onEvicted() {
    if (tryMove(ViewState.INVALID)) {
      registration.unregister(this);
    }
  }

  private boolean tryMove(ViewState next) {
    ViewState now = state;
    while (now.mayBecome(next)) {
      if (STATE.compareAndSet(this, now, next)) {
        return true;
      }
      now = state;
    }
    return false;
  }
}

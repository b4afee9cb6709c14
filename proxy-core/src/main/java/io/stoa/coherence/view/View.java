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
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A cached answer to one query in one partition: which entries it shows, and whether it is right.
 * Thread-safe: its state moves in one place, and never back.
 */
public final class View {
  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(View.class, "state", ViewState.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Query query;
  private final Terms terms;
  private final ViewListener owner;
  private final IndexRegistration registration;
  private volatile ViewState state = ViewState.PENDING;

  /** Why it is void; null also a moment after it has become so. */
  private volatile @Nullable InvalidationCause cause;

  /** Changes in place of which it has not been found out yet whether they are so. */
  private final AtomicInteger unproved = new AtomicInteger();

  /** Changed in place by the thread that applies changes, and by no other. */
  private volatile Members members;

  /** Written before the view is handed to that thread, and read there. */
  private long readNanos;

  /**
   * Makes one that is pending, and of which no change will be known before {@link #register}.
   *
   * @param owner is told if a change kills it
   */
  public View(
      Query query, Members members, Terms terms, PredicateIndex<View> index, ViewListener owner) {
    this.query = query;
    this.members = members;
    this.terms = terms;
    this.owner = owner;
    this.registration = new IndexRegistration(index, terms.newest());
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
   * Whether its answer may be given at that time, which is to be read no earlier than the decision
   * is made: a thread that was stopped in between must not take an old time for the present one.
   */
  public boolean isLive(long now) {
    return state == ViewState.VALID && terms.areLive(now);
  }

  /** When its answer came, at the latest: it may show what had happened until then. */
  public void readAt(long nanos) {
    readNanos = nanos;
  }

  /** What each answer from memory must be proved by; null if age is what bounds it. */
  public FreshnessGuarantee.@Nullable Proof proof() {
    return terms.proof();
  }

  /** Whether it may be changed in place, instead of dying. */
  boolean mayBeAmended() {
    return state == ViewState.VALID
        && !members.areAbsent()
        && terms.showImages()
        && owner.mayAmend();
  }

  /** Whether all that had happened when it was read has been applied, so that what comes is new. */
  boolean isOvertaken() {
    return isOvertaken(readNanos);
  }

  /** Whether all that had happened at that time has been. */
  boolean isOvertaken(long then) {
    return terms.haveReached(then);
  }

  /**
   * Changes it in place: who looks from now on finds it so. False if that cannot be done; then it
   * must die.
   *
   * <p>Another answer may show a newer state already, of which the feed has not told yet. Who reads
   * that registers it and then looks at all others; so this shows its own state first, and then
   * looks.
   */
  boolean amend(EntryUpdate amendment) {
    unproved.incrementAndGet();
    EntryUpdate.Shown shown = amendment.shown();
    Uuid uuid = amendment.uuid();
    if (shown != null) {
      registration.join(this, uuid, shown.image().dn());
    }
    members = amendment.applied(members);
    MemoryFences.full();
    if (shown == null) {
      registration.part(uuid);
    } else if (registration.isSurpassed(uuid, shown.csn())) {
      return false;
    }
    return owner.amended(this, amendment);
  }

  /**
   * It may show what the feed has not told yet: who has seen that must not be shown an older state
   * of the same entry afterwards. So of two views the one that shows the older state dies.
   *
   * @return false if that was this one
   */
  public boolean supersedes() {
    Members own = members;
    for (Uuid uuid : own.uuids()) {
      Csn csn = own.csn(uuid);
      if (csn != null && !registration.supersedes(uuid, csn)) {
        evicted();
      }
    }
    return state != ViewState.DEAD;
  }

  /** One of the changes in place is known to be so, or cannot but be. */
  public void borneOut() {
    unproved.decrementAndGet();
  }

  /**
   * Whether a directory has shown all that it says. What a feed alone has told may turn out never
   * to have been, and what is given by its age would be given still.
   */
  public boolean isBorneOut() {
    return unproved.get() == 0;
  }

  /** Whether an entry that it does not show may change it. */
  public boolean isWide() {
    return query.scope() != 0 || members.size() == 0;
  }

  /**
   * The same for who may be given nothing that is older than his request.
   *
   * @param received when that came
   */
  public boolean isProved(long received) {
    return state == ViewState.VALID && terms.haveProved(received);
  }

  /** Whether its answer is void, whatever its age. */
  public boolean isDead() {
    return state == ViewState.DEAD || terms.areOver();
  }

  /** Whoever applies a change from now on finds it. */
  public void register(Collection<NormalDn> memberDns) {
    registration.enter(this, memberDns);
  }

  /** Nothing has changed since it was read; false if something has meanwhile. */
  public boolean keep() {
    return move(ViewState.UNSEEN);
  }

  /** The feed tells of whatever changes it; false if something has meanwhile. */
  public boolean seen() {
    return move(ViewState.VALID);
  }

  /** It is void; false if it has been before. */
  public boolean kill(InvalidationCause why) {
    boolean killed = move(ViewState.DEAD);
    if (killed) {
      cause = why;
      registration.leave(this);
      terms.count(why);
      owner.killed(this, why);
    }
    return killed;
  }

  /** The directory answers something else, and nothing that was told explains that. */
  public void foundWrong() {
    terms.countWrong();
    kill(InvalidationCause.INCOHERENT);
  }

  /** Whether that has made it void. */
  public boolean isKilledBy(InvalidationCause why) {
    return cause == why;
  }

  /** Nobody keeps its answer any more. */
  public void evicted() {
    if (move(ViewState.DEAD)) {
      registration.leave(this);
    }
  }

  private boolean move(ViewState next) {
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

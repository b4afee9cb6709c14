// SPDX-License-Identifier: Apache-2.0
package io.stoa.view;

import io.stoa.filter.Query;
import io.stoa.index.PredicateIndex;
import io.stoa.match.NormalDn;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Collection;

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
  private final Members members;
  private final Terms terms;
  private final Owner owner;
  private final Registration registration;
  private volatile ViewState state = ViewState.PENDING;

  /**
   * Makes one that is pending, and of which no change will be known before {@link #register}.
   *
   * @param owner is told if a change kills it
   */
  public View(Query query, Members members, Terms terms, PredicateIndex<View> index, Owner owner) {
    this.query = query;
    this.members = members;
    this.terms = terms;
    this.owner = owner;
    this.registration = new Registration(index);
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

  /** Whether an entry that it does not show may change it. */
  public boolean isWide() {
    return query.scope() != 0 || members.size() == 0;
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
  public boolean kill(KillCause cause) {
    boolean killed = move(ViewState.DEAD);
    if (killed) {
      registration.leave(this);
      terms.count(cause);
      owner.killed(this, cause);
    }
    return killed;
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

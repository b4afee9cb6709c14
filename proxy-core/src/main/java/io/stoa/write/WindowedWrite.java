// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.OpType;
import io.stoa.operation.Cancellation;
import io.stoa.operation.ChangeListener;
import io.stoa.operation.ClientSession;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.LargeMessage;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.OwnChange;
import io.stoa.operation.Rejection;
import io.stoa.operation.ResponseSink;
import io.stoa.operation.Restriction;
import io.stoa.write.ClientWriteOrder.Turn;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A write that waits for a window to close, and then its result for those of the others. Until it
 * is sent its client may give it up; after that it is followed to its end. Event-loop confined.
 */
final class WindowedWrite extends ForwardingSink implements Cancellation {
  private final Operation operation;
  private final OutcomeSink outcome;
  private final LoopWindow part;
  private final Effects effects;
  private @Nullable Turn turn;
  private LoopWindow.@Nullable Burst burst;
  private boolean dropped;
  private boolean settled;
  private boolean together;
  private int before;
  private @Nullable LdapMessage answer;
  private byte @Nullable [] made;
  private byte[] op = {};
  private @Nullable Rejection refusal;

  /**
   * Makes it.
   *
   * @param outcome where its result is reported and told, by way of the effects
   * @param effects what the caches hear of it
   */
  WindowedWrite(Operation operation, OutcomeSink outcome, LoopWindow part, Effects effects) {
    super(outcome);
    this.outcome = outcome;
    this.operation = operation;
    this.part = part;
    this.effects = effects;
  }

  /** It waits from now on, in its turn among the writes of its client; false if it may not. */
  boolean waitFor(Turn own) {
    turn = own;
    own.keep(part.window()::hurry);
    operation.moveTo(OperationState.WAITING);
    operation.cancellation(this);
    return part.add(this);
  }

  private Turn turn() {
    return Objects.requireNonNull(turn, "turn");
  }

  /** The window has closed. */
  void join(LoopWindow.Burst own) {
    burst = own;
    operation.waitsFrom(System.nanoTime());
  }

  /** It is sent as soon as it is its turn. */
  void go() {
    if (!dropped) {
      turn().ready();
    }
  }

  // Writes that are done together

  Operation operation() {
    return operation;
  }

  /** The protocolOp. */
  byte[] op() {
    return op;
  }

  /** Whether it can be one of several that are done together: none must go before it. */
  boolean mayBeTogether() {
    ClientSession client = operation.session();
    return !dropped
        && turn().first()
        && !operation.message().hasControls()
        && operation.type() != OpType.EXTENDED_REQUEST
        && !client.identity().anonymous()
        && client.identity().bindsAgain()
        && client.restriction() == Restriction.NONE;
  }

  /** Whether its client still wants it. */
  boolean waits() {
    return !dropped;
  }

  /** It is done with others: its client cannot have it dropped any more. */
  void together() {
    together = true;
    before = operation.sendings();
    op = operation.message().copyOp();
    operation.cancellation(new Followed());
  }

  /** It goes on whatever its client wants. */
  private static final class Followed implements Cancellation {
    @Override
    public void abandon() {
      // its result is waited for
    }

    @Override
    public boolean forward(Operation cancelRequest) {
      cancelRequest.sink().reject(Rejection.CANNOT_CANCEL);
      return true;
    }
  }

  /** It has been done with the others. */
  void done() {
    complete(LdapResult.encode(operation.type().response(), 0, ""));
  }

  /** Nobody knows whether it was. */
  void unknown() {
    reject(Rejection.UPSTREAM_LOST);
  }

  /** None of them was: it goes by itself, if its client still wants that. */
  void singly() {
    together = false;
    while (operation.sendings() > before) {
      operation.notSent();
    }
    operation.waitsFrom(System.nanoTime());
    if (operation.ended()) {
      abandon();
    } else {
      operation.cancellation(this);
      turn().ready();
    }
  }

  @Override
  public void complete(byte[] response) {
    if (held()) {
      made = response;
      settle(own -> own.changed(outcome.done()));
    } else {
      late(() -> next.complete(response));
    }
    turn().over();
  }

  @Override
  public void complete(LdapMessage response) {
    if (held()) {
      answer = response;
      settle(own -> own.changed(outcome.done()));
    } else {
      late(() -> next.complete(response));
    }
    turn().over();
  }

  /** Nothing so large is held. */
  @Override
  public void complete(LargeMessage response) {
    late(() -> next.complete(response));
    turn().over();
  }

  @Override
  public void reject(Rejection reason) {
    if (held() && OutcomeSink.isUnknown(operation, reason)) {
      refusal = reason;
      settle(own -> own.unknown(outcome.done()));
    } else {
      late(() -> reject(reason, next));
    }
    turn().over();
  }

  private void reject(Rejection reason, ResponseSink to) {
    effects.known();
    to.reject(reason);
  }

  /** Whether its result waits for those of others. */
  private boolean held() {
    LoopWindow.Burst own = burst;
    return own != null && !own.over() && !settled;
  }

  /** The others wait no longer for it; told once. */
  private void settle(Consumer<LoopWindow.Burst> how) {
    LoopWindow.Burst own = burst;
    if (own != null && !settled) {
      how.accept(own);
    }
    settled = true;
  }

  /** It is over by itself: the caches hear of it as of any other. */
  private void late(Runnable tell) {
    tell.run();
    settle(LoopWindow.Burst::answered);
    part.window().answered();
  }

  /** The caches know what the burst has changed: so may its client. */
  void release() {
    LdapMessage response = answer;
    Rejection reason = refusal;
    byte[] done = made;
    answer = null;
    refusal = null;
    made = null;
    if (response != null || reason != null || done != null) {
      effects.taken();
    }
    if (response != null) {
      next.complete(response);
    } else if (done != null) {
      next.complete(done);
    } else if (reason != null) {
      next.reject(reason);
    }
    effects.untaken(); // what a server still says later is news
  }

  /** What was sent has a result all the same; or what waits behind it must not wait for ever. */
  @Override
  public void abandoned() {
    if (!dropped && !together && operation.sendings() == 0) {
      abandon();
    } else if (!dropped) {
      part.later(this::leave);
    }
    next.abandoned();
  }

  @Override
  public void abandon() {
    dropped = true;
    if (burst == null) {
      part.drop(this);
    }
    leave();
  }

  private void leave() {
    late(effects::known);
    turn().over();
  }

  @Override
  public boolean forward(Operation cancelRequest) {
    return false;
  }

  /**
   * What the caches hear of one write by itself: nothing, once they know of its window's.
   * Event-loop confined.
   */
  static final class Effects implements ChangeListener {
    private final ChangeListener listener;
    private final WriteWindow window;
    private final Runnable known;
    private boolean taken;

    /**
     * Makes it.
     *
     * @param known is run when its client need not wait for it any more, once at least
     */
    Effects(WriteWindow window, Runnable known) {
      this.window = window;
      this.listener = window.listener();
      this.known = known;
    }

    /** It has been answered, or will not be. */
    void known() {
      known.run();
    }

    /** The caches have heard of it together with others. */
    void taken() {
      known.run();
      taken = true;
    }

    /** Whatever comes from now on they have not. */
    void untaken() {
      taken = false;
    }

    @Override
    public void changed(List<OwnChange> changes, Runnable applied) {
      if (taken) {
        applied.run();
      } else {
        listener.changed(
            changes,
            () -> {
              known.run();
              window.answered(); // reads may wait for just this
              applied.run();
            });
      }
    }

    @Override
    public void outcomeUnknown(List<OwnChange> changes) {
      if (!taken) {
        listener.outcomeUnknown(changes);
        known.run();
      }
    }
  }
}

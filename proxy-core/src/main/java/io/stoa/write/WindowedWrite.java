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
 * A write that waits for a window to close. Its result waits for those of the other writes. Its
 * client can give it up until it is sent; after that it is followed to its end.
 *
 * <p>Threading: event loop.
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
   * Creates the write.
   *
   * @param outcome sink that reports the outcome, through the effects, and answers the client
   * @param effects reports to the caches
   */
  WindowedWrite(Operation operation, OutcomeSink outcome, LoopWindow part, Effects effects) {
    super(outcome);
    this.outcome = outcome;
    this.operation = operation;
    this.part = part;
    this.effects = effects;
  }

  /**
   * Lets the write wait, in its turn among the writes of its client; false if the window is full.
   */
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

  /** Called when the window has closed. */
  void join(LoopWindow.Burst own) {
    burst = own;
    operation.waitsFrom(System.nanoTime());
  }

  /** Sends the write as soon as its turn comes. */
  void go() {
    if (!dropped) {
      turn().ready();
    }
  }

  // Transactions

  Operation operation() {
    return operation;
  }

  /** Returns the protocolOp. */
  byte[] op() {
    return op;
  }

  /** True if it can be part of a transaction; then no earlier write may be left before it. */
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

  /** True if its client still wants it. */
  boolean waits() {
    return !dropped;
  }

  /** Called when a transaction begins with it: its client can no longer give it up. */
  void together() {
    together = true;
    before = operation.sendings();
    op = operation.message().copyOp();
    operation.cancellation(new Followed());
  }

  /** Keeps the write going, whatever its client wants. */
  private static final class Followed implements Cancellation {
    @Override
    public void abandon() {
      // its result is awaited
    }

    @Override
    public boolean forward(Operation cancelRequest) {
      cancelRequest.sink().reject(Rejection.CANNOT_CANCEL);
      return true;
    }
  }

  /** Called when the transaction has performed it. */
  void done() {
    complete(LdapResult.encode(operation.type().response(), 0, ""));
  }

  /** Called when the outcome of the transaction is unknown. */
  void unknown() {
    reject(Rejection.UPSTREAM_LOST);
  }

  /**
   * Called when the transaction has failed. The write is sent by itself if its client still wants
   * it.
   */
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

  /** Passes on a large result at once, since it is not held. */
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

  /** True if its result waits for those of others. */
  private boolean held() {
    LoopWindow.Burst own = burst;
    return own != null && !own.over() && !settled;
  }

  /** Ends the wait of the other writes for this one, once. */
  private void settle(Consumer<LoopWindow.Burst> how) {
    LoopWindow.Burst own = burst;
    if (own != null && !settled) {
      how.accept(own);
    }
    settled = true;
  }

  /** Ends the write by itself: it is reported to the caches like any other write. */
  private void late(Runnable tell) {
    tell.run();
    settle(LoopWindow.Burst::answered);
    part.window().answered();
  }

  /** Answers the client, since the caches have processed the changes of the burst. */
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
    effects.untaken(); // a later response is news
  }

  /**
   * Ends the write: at once if it was not sent, otherwise when a result can no longer come. Writes
   * behind it must not wait for ever.
   */
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
   * Reports one write to the caches, unless they have processed the changes of its burst.
   *
   * <p>Threading: event loop.
   */
  static final class Effects implements ChangeListener {
    private final ChangeListener listener;
    private final WriteWindow window;
    private final Runnable known;
    private boolean taken;

    /**
     * Creates it.
     *
     * @param known run at least once, when reads of its client need not wait for the write any more
     */
    Effects(WriteWindow window, Runnable known) {
      this.window = window;
      this.listener = window.listener();
      this.known = known;
    }

    /** Called when the write was answered, or will not be. */
    void known() {
      known.run();
    }

    /** Called when the caches have processed the write with its burst. */
    void taken() {
      known.run();
      taken = true;
    }

    /** Called after that: later responses are reported to the caches. */
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

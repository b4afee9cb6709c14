// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.Response;
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
  private final LoopWindow loopWindow;
  private final CacheReports reports;
  private @Nullable Turn turn;
  private LoopWindow.@Nullable Burst burst;
  private boolean dropped;
  private boolean settled;
  private boolean inTransaction;
  private int sendingsBefore;
  private @Nullable Response answer;
  private byte[] op = {};
  private @Nullable Rejection refusal;

  /**
   * Creates the write.
   *
   * @param outcome sink that reports the outcome, through the effects, and answers the client
   * @param reports reports to the caches
   */
  WindowedWrite(
      Operation operation, OutcomeSink outcome, LoopWindow loopWindow, CacheReports reports) {
    super(outcome);
    this.outcome = outcome;
    this.operation = operation;
    this.loopWindow = loopWindow;
    this.reports = reports;
  }

  /**
   * Lets the write wait, in its turn among the writes of its client; false if the window is full.
   */
  boolean waitFor(Turn newTurn) {
    turn = newTurn;
    newTurn.setUrge(loopWindow.window()::closeSoon);
    operation.moveTo(OperationState.WAITING);
    operation.setCancellation(this);
    return loopWindow.add(this);
  }

  private Turn turn() {
    return Objects.requireNonNull(turn, "turn");
  }

  /** Called when the window has closed. */
  void onClosed(LoopWindow.Burst newBurst) {
    burst = newBurst;
    operation.restartWait(System.nanoTime());
  }

  /** Sends the write as soon as its turn comes. */
  void send() {
    if (!dropped) {
      turn().beginInTurn();
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
  boolean canJoinTransaction() {
    ClientSession client = operation.session();
    return !dropped
        && turn().isFirst()
        && !operation.message().hasControls()
        && operation.type() != OpType.EXTENDED_REQUEST
        && !client.identity().isAnonymous()
        && client.identity().canRebind()
        && client.restriction() == Restriction.NONE;
  }

  /** True if its client still wants it. */
  boolean isWanted() {
    return !dropped;
  }

  /** Called when a transaction begins with it: its client can no longer give it up. */
  void joinTransaction() {
    inTransaction = true;
    sendingsBefore = operation.sendings();
    op = operation.message().copyOp();
    operation.setCancellation(new Followed());
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
  void onPerformed() {
    complete(LdapResult.encode(operation.type().response(), 0, ""));
  }

  /** Called when the outcome of the transaction is unknown. */
  void onUnknown() {
    reject(Rejection.UPSTREAM_LOST);
  }

  /**
   * Called when the transaction has failed. The write is sent by itself if its client still wants
   * it.
   */
  void sendSingly() {
    inTransaction = false;
    while (operation.sendings() > sendingsBefore) {
      operation.uncountSending();
    }
    operation.restartWait(System.nanoTime());
    if (operation.hasEnded()) {
      abandon();
    } else {
      operation.setCancellation(this);
      turn().beginInTurn();
    }
  }

  /** Holds the result if others wait for it. A large one cannot be held. */
  @Override
  public void complete(Response response) {
    if (isHeld() && !(response instanceof LargeMessage)) {
      answer = response;
      if (response instanceof LdapMessage message && op.length == 0) {
        outcome.onResult(message); // a feed may have reported the change of a failed transaction
      }
      settle(current -> current.onChange(this, outcome.outcome()));
    } else {
      endSingly(() -> next.complete(response));
    }
    turn().end();
  }

  @Override
  public void reject(Rejection reason) {
    if (isHeld() && OutcomeSink.isUnknown(operation, reason)) {
      refusal = reason;
      settle(current -> current.onUnknown(this, outcome.outcome()));
    } else {
      endSingly(() -> reject(reason, next));
    }
    turn().end();
  }

  private void reject(Rejection reason, ResponseSink to) {
    reports.onKnown();
    to.reject(reason);
  }

  /** True if its result waits for those of others. */
  private boolean isHeld() {
    return burst != null && !settled;
  }

  /** Reports its end to its burst, once. */
  private void settle(Consumer<LoopWindow.Burst> report) {
    LoopWindow.Burst current = burst;
    if (current != null && !settled) {
      report.accept(current);
    }
    settled = true;
  }

  /** Ends the write by itself: it is reported to the caches like any other write. */
  private void endSingly(Runnable tell) {
    tell.run();
    settle(LoopWindow.Burst::onSingleEnd);
    loopWindow.window().resumeReads();
  }

  /** Answers the client, since the caches have processed the changes of the burst. */
  void release() {
    Response response = answer;
    Rejection reason = refusal;
    answer = null;
    refusal = null;
    try {
      if (response != null || reason != null) {
        reports.suppress();
      }
      if (response != null) {
        next.complete(response);
      } else if (reason != null) {
        next.reject(reason);
      }
      reports.resume(); // a later response is news
    } finally {
      Objects.requireNonNull(burst, "burst").onFinished();
    }
  }

  /**
   * Ends the write: at once if it was not sent, otherwise when a result can no longer come. Writes
   * behind it must not wait for ever.
   */
  @Override
  public void onAbandoned() {
    if (!dropped && !inTransaction && operation.sendings() == 0) {
      abandon();
    } else if (!dropped) {
      loopWindow.runAfterDeadline(this::leave);
    }
    next.onAbandoned();
  }

  @Override
  public void abandon() {
    dropped = true;
    if (burst == null) {
      loopWindow.drop(this);
    }
    leave();
  }

  private void leave() {
    endSingly(reports::onKnown);
    turn().end();
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
  static final class CacheReports implements ChangeListener {
    private final ChangeListener listener;
    private final WriteWindow window;
    private final Runnable resumeReads;
    private boolean suppressed;

    /**
     * Creates it.
     *
     * @param resumeReads run at least once, when reads of its client need not wait for the write
     *     any more
     */
    CacheReports(WriteWindow window, Runnable resumeReads) {
      this.window = window;
      this.listener = window.listener();
      this.resumeReads = resumeReads;
    }

    /** Called when the write was answered, or will not be. */
    void onKnown() {
      resumeReads.run();
    }

    /** Called when the caches have processed the write with its burst. */
    void suppress() {
      resumeReads.run();
      suppressed = true;
    }

    /** Called after that: later responses are reported to the caches. */
    void resume() {
      suppressed = false;
    }

    @Override
    public void onChanges(List<OwnChange> changes, Runnable applied) {
      if (suppressed) {
        applied.run();
      } else {
        listener.onChanges(
            changes,
            () -> {
              resumeReads.run();
              window.resumeReads(); // reads may wait for just this
              applied.run();
            });
      }
    }

    @Override
    public void onUnknownOutcome(List<OwnChange> changes) {
      if (!suppressed) {
        listener.onUnknownOutcome(changes);
        resumeReads.run();
      }
    }
  }
}

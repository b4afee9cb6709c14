// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import io.stoa.ldap.protocol.Response;
import io.stoa.operation.Cancellation;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.Rejection;
import io.stoa.operation.ResponseSink;
import io.stoa.write.ClientWriteOrder.Turn;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A write without a window, sent when the earlier writes that it must not overtake are over.
 *
 * <p>Threading: event loop.
 */
final class DirectWrite extends ForwardingSink implements Cancellation {
  private final Operation operation;
  private final Duration timeout;
  private @Nullable Turn turn;
  private boolean begun;

  /**
   * Creates the write.
   *
   * @param outcome sink that reports the outcome and answers the client
   * @param timeout maximum time of an operation without an answer
   */
  DirectWrite(Operation operation, ResponseSink outcome, Duration timeout) {
    super(outcome);
    this.timeout = timeout;
    this.operation = operation;
  }

  /** Takes its turn, which may be now. */
  void take(Turn newTurn) {
    turn = newTurn;
    newTurn.hurryEarlier();
    newTurn.beginInTurn();
    if (!begun) {
      operation.moveTo(OperationState.WAITING);
      operation.setCancellation(this);
    }
  }

  /** Called when its turn has come. */
  void begin() {
    begun = true;
  }

  private Turn turn() {
    return Objects.requireNonNull(turn, "turn");
  }

  @Override
  public void complete(Response response) {
    next.complete(response);
    turn().end();
  }

  @Override
  public void reject(Rejection reason) {
    next.reject(reason);
    turn().end();
  }

  /**
   * Ends the turn: at once if the write was not sent, otherwise when a result can no longer come.
   * Writes behind it must not wait for ever.
   */
  @Override
  public void onAbandoned() {
    next.onAbandoned();
    if (operation.sendings() == 0) {
      turn().end();
    } else {
      operation
          .session()
          .executor()
          .schedule(turn()::end, 2 * timeout.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  @Override
  public void abandon() {
    // the abandoned operation notifies the sinks
  }

  @Override
  public boolean forward(Operation cancelRequest) {
    return false;
  }
}

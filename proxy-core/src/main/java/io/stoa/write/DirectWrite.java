// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.operation.Cancellation;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.LargeMessage;
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
 * A write that is sent as soon as those are over which its client has sent before and that it must
 * not overtake. Event-loop confined.
 */
final class DirectWrite extends ForwardingSink implements Cancellation {
  private final Operation operation;
  private final Duration longest;
  private @Nullable Turn turn;
  private boolean begun;

  /**
   * Makes it.
   *
   * @param outcome where its result is reported and told
   * @param longest how long an operation may be without an answer
   */
  DirectWrite(Operation operation, ResponseSink outcome, Duration longest) {
    super(outcome);
    this.longest = longest;
    this.operation = operation;
  }

  /** It takes its turn, which may be now. */
  void take(Turn own) {
    turn = own;
    own.urge();
    own.ready();
    if (!begun) {
      operation.moveTo(OperationState.WAITING);
      operation.cancellation(this);
    }
  }

  /** It is its turn. */
  void begin() {
    begun = true;
  }

  private Turn turn() {
    return Objects.requireNonNull(turn, "turn");
  }

  @Override
  public void complete(LdapMessage response) {
    next.complete(response);
    turn().over();
  }

  @Override
  public void complete(byte[] op) {
    next.complete(op);
    turn().over();
  }

  @Override
  public void complete(LargeMessage response) {
    next.complete(response);
    turn().over();
  }

  @Override
  public void reject(Rejection reason) {
    next.reject(reason);
    turn().over();
  }

  /** What was sent has a result all the same; or what waits behind it must not wait for ever. */
  @Override
  public void abandoned() {
    next.abandoned();
    if (operation.sendings() == 0) {
      turn().over();
    } else {
      operation
          .session()
          .executor()
          .schedule(turn()::over, 2 * longest.toNanos(), TimeUnit.NANOSECONDS);
    }
  }

  @Override
  public void abandon() {
    // whoever gives it up tells the sinks
  }

  @Override
  public boolean forward(Operation cancelRequest) {
    return false;
  }
}

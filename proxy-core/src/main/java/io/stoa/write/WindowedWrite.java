// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import io.stoa.change.Change;
import io.stoa.change.ChangeListener;
import io.stoa.ldap.LdapMessage;
import io.stoa.ldap.LdapResult;
import io.stoa.ldap.OpType;
import io.stoa.operation.Cancellation;
import io.stoa.operation.ClientSession;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.LargeMessage;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.Rejection;
import io.stoa.operation.ResponseSink;
import io.stoa.operation.Restriction;
import io.stoa.write.Lanes.Turn;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A write that waits for a window to close, and then its result for those of the others. Until it
 * is sent its client may give it up; after that it is followed to its end. Event-loop confined.
 */
final class WindowedWrite extends ForwardingSink implements Cancellation {
  private final Operation operation;
  private final WindowPart part;
  private final Effects effects;
  private final Runnable known;
  private @Nullable Turn turn;
  private WindowPart.@Nullable Burst burst;
  private boolean dropped;
  private @Nullable LdapMessage answer;
  private byte @Nullable [] made;
  private byte[] op = {};
  private @Nullable Rejection refusal;

  /**
   * Makes it.
   *
   * @param outcome where its result is reported and told, by way of the effects
   * @param effects what the caches hear of it
   * @param known run when it has been answered, or will not be
   */
  WindowedWrite(
      Operation operation, ResponseSink outcome, WindowPart part, Effects effects, Runnable known) {
    super(outcome);
    this.operation = operation;
    this.part = part;
    this.effects = effects;
    this.known = known;
  }

  /** It waits from now on, in its turn among the writes of its client; false if it may not. */
  boolean waitFor(Turn own) {
    turn = own;
    own.keep(part.window()::flush);
    operation.moveTo(OperationState.WAITING);
    operation.cancellation(this);
    return part.add(this);
  }

  private Turn turn() {
    return Objects.requireNonNull(turn, "turn");
  }

  /** The window has closed. */
  void join(WindowPart.Burst own) {
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
    op = operation.message().copyOp();
    operation.cancellation(null);
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
    if (operation.ended()) {
      dropped = true;
      known.run();
      answered();
      turn().over();
    } else {
      operation.cancellation(this);
      turn().ready();
    }
  }

  @Override
  public void complete(byte[] response) {
    WindowPart.Burst own = burst;
    if (own == null || own.over()) {
      late(() -> next.complete(response));
    } else {
      made = response;
      own.changed();
    }
    turn().over();
  }

  @Override
  public void complete(LdapMessage response) {
    WindowPart.Burst own = burst;
    if (own == null || own.over()) {
      late(() -> next.complete(response));
    } else {
      answer = response;
      own.changed();
    }
    turn().over();
  }

  /** Nothing so large is held. */
  @Override
  public void complete(LargeMessage response) {
    late(() -> next.complete(response));
    answered();
    turn().over();
  }

  @Override
  public void reject(Rejection reason) {
    WindowPart.Burst own = burst;
    boolean unknown = OutcomeSink.isUnknown(operation, reason);
    if (dropped) {
      next.reject(reason);
    } else if (own != null && !own.over() && unknown) {
      refusal = reason;
      own.unknown();
      turn().over();
    } else {
      late(() -> next.reject(reason));
      answered();
      turn().over();
    }
  }

  private void answered() {
    WindowPart.Burst own = burst;
    if (own != null && !own.over()) {
      own.answered();
    }
  }

  /** It is over by itself: the caches hear of it as of any other. */
  private void late(Runnable tell) {
    known.run();
    tell.run();
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
      known.run();
      effects.taken();
    }
    if (response != null) {
      next.complete(response);
    } else if (done != null) {
      next.complete(done);
    } else if (reason != null) {
      next.reject(reason);
    }
  }

  /** What was sent has a result all the same. */
  @Override
  public void abandoned() {
    if (!dropped && operation.sendings() == 0) {
      abandon();
    }
    next.abandoned();
  }

  @Override
  public void abandon() {
    dropped = true;
    known.run();
    if (burst == null) {
      part.drop(this);
    } else {
      answered();
    }
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
    private boolean known;

    Effects(ChangeListener listener) {
      this.listener = listener;
    }

    /** The caches have heard of it together with others. */
    void taken() {
      known = true;
    }

    @Override
    public void changed(Change change) {
      if (!known) {
        listener.changed(change);
      }
    }

    @Override
    public void outcomeUnknown(Change change) {
      if (!known) {
        listener.outcomeUnknown(change);
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import io.stoa.ldap.protocol.EncodedResponse;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.Response;
import io.stoa.operation.BufferReservation;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.replication.StaleCandidates;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Holds the answer to a read until it is known to show no entry that a waiting write of its session
 * changes. Otherwise the answer is discarded, and the read is repeated after the write. An answer
 * that is too large to be held is treated in the same way.
 *
 * <p>Threading: event loop.
 */
final class StaleCheckedRead extends ForwardingSink {
  private static final int MAX_PARTS = 1_000;
  private static final int MAX_OCTETS = 1 << 20;

  private final Operation operation;
  private final StaleCandidates staleCandidates;
  private final Consumer<Operation> resume;
  private final BufferReservation reservation;
  private final List<Response> parts = new ArrayList<>(1);
  private boolean discarded;

  /**
   * Wraps the sink of the operation.
   *
   * @param resume continues the operation after its answer was discarded
   */
  StaleCheckedRead(
      Operation operation, StaleCandidates staleCandidates, Consumer<Operation> resume) {
    super(operation.sink());
    this.operation = operation;
    this.staleCandidates = staleCandidates;
    this.resume = resume;
    this.reservation = new BufferReservation(operation.session());
  }

  /** Holds a part. A large one is not held: the answer is discarded. */
  @Override
  public void respond(Response response) {
    if (response instanceof LdapMessage message
        && !discards(staleCandidates.isShownBy(message), message.length())) {
      parts.add(message.detached());
    } else if (response instanceof EncodedResponse copy
        && !discards(staleCandidates.isShownBy(copy.op()), copy.op().length)) {
      parts.add(copy);
    } else {
      discard();
      response.release();
    }
  }

  /**
   * True if the answer is discarded, for this part or an earlier one. Otherwise memory is reserved.
   */
  private boolean discards(boolean changed, int octets) {
    boolean full = parts.size() >= MAX_PARTS || reservation.octets() + octets > MAX_OCTETS;
    if (discarded || changed || full || !reservation.reserve(octets)) {
      discard();
    }
    return discarded;
  }

  private void discard() {
    discarded = true;
    drop();
  }

  @Override
  public void complete(Response response) {
    if (repeatIfDiscarded()) {
      response.release();
    } else {
      pass();
      next.complete(response);
    }
  }

  /** Repeats a read with a discarded answer. Sinks around this one are removed. */
  private boolean repeatIfDiscarded() {
    boolean repeats = discarded && !operation.hasEnded();
    if (repeats) {
      operation.setSink(next);
      operation.session().executor().execute(this::resumeRead);
    }
    return repeats;
  }

  private void resumeRead() {
    if (!operation.hasEnded()) {
      resume.accept(operation);
    }
  }

  private void pass() {
    List<Response> held = List.copyOf(parts);
    parts.clear();
    reservation.release();
    held.forEach(next::respond);
  }

  private void drop() {
    parts.forEach(Response::release);
    parts.clear();
    reservation.release();
  }

  @Override
  public void reject(Rejection reason) {
    drop();
    next.reject(reason);
  }

  @Override
  public void onAbandoned() {
    drop();
    next.onAbandoned();
  }

  @Override
  public boolean restart() {
    drop();
    discarded = false;
    return next.restart();
  }

  /** False: a held answer does not reach the client yet. */
  @Override
  public boolean isCongested() {
    return false;
  }

  @Override
  public boolean isFull() {
    return false;
  }
}

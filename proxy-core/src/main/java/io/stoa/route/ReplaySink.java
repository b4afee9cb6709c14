// SPDX-License-Identifier: Apache-2.0
package io.stoa.route;

import io.stoa.backend.Backend;
import io.stoa.ldap.LdapMessage;
import io.stoa.ldap.LdapResult;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.HeldRoom;
import io.stoa.operation.LargeMessage;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.operation.ResponseSink;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Holds a result until its end, as far as it may, so that another server can be asked if the one
 * that was asked dies in the middle of it, or refuses. What is larger streams from then on.
 * Event-loop confined.
 */
final class ReplaySink extends ForwardingSink {
  private static final int BUSY = 51;
  private static final int UNAVAILABLE = 52;

  private final Replay replay;
  private final HeldRoom room;
  private final List<LdapMessage> held = new ArrayList<>(1);
  private final Set<Backend> refusers = new HashSet<>(2);
  private Operation operation;
  private @Nullable Backend asked;
  private boolean streaming;

  ReplaySink(Replay replay, Operation operation) {
    super(operation.sink());
    this.replay = replay;
    this.operation = operation;
    this.room = new HeldRoom(operation.session());
  }

  /** Which servers have not refused the operation. */
  static Predicate<Backend> open(Operation operation) {
    return operation.sink() instanceof ReplaySink own && !own.refusers.isEmpty()
        ? backend -> !own.refusers.contains(backend)
        : backend -> true;
  }

  /** The operation is about to be sent to the server. */
  void asks(Backend backend) {
    asked = backend;
  }

  @Override
  public void respond(LdapMessage response) {
    if (!streaming && hold(response.length())) {
      held.add(response.detached());
    } else {
      stream();
      next.respond(response);
    }
  }

  private boolean hold(int octets) {
    boolean fits = replay.fits(held.size(), room.octets() + octets);
    if (!fits || !replay.reserve(octets)) {
      return false;
    }
    boolean reserved = room.reserve(octets);
    if (!reserved) {
      replay.giveBack(octets);
    }
    return reserved;
  }

  @Override
  public void respond(LargeMessage response) {
    stream();
    next.respond(response);
  }

  @Override
  public void complete(LargeMessage response) {
    stream();
    next.complete(response);
  }

  private void stream() {
    if (!streaming) {
      streaming = true;
      passHeld();
    }
  }

  private void passHeld() {
    List<LdapMessage> all = List.copyOf(held);
    held.clear();
    letGo();
    all.forEach(next::respond);
  }

  private void drop() {
    held.forEach(LdapMessage::release);
    held.clear();
    letGo();
  }

  private void letGo() {
    replay.giveBack(room.octets());
    room.letGo();
  }

  @Override
  public void complete(LdapMessage response) {
    int code = LdapResult.codeOf(response.body());
    boolean refused = code == BUSY || code == UNAVAILABLE;
    if (refused && goesOn()) {
      response.release();
      return;
    }
    if (!refused && !refusers.isEmpty()) {
      replay.wasRight();
    }
    passHeld();
    next.complete(response);
  }

  /** Whether another server is asked instead. What has wrapped this for the one that was goes. */
  private boolean goesOn() {
    Backend refuser = asked;
    if (refuser == null || operation.ended()) {
      return false;
    }
    refusers.add(refuser);
    operation.sink(this);
    return replay.refused(operation);
  }

  @Override
  public void complete(byte[] op) {
    passHeld();
    next.complete(op);
  }

  @Override
  public void reject(Rejection reason) {
    drop();
    next.reject(reason);
  }

  @Override
  public void abandoned() {
    drop();
    next.abandoned();
  }

  @Override
  public ResponseSink inherited(Operation heir) {
    operation = heir;
    return next.inherited(heir);
  }

  @Override
  public boolean restart() {
    drop();
    return next.restart();
  }

  /** What is held does not reach the client yet. */
  @Override
  public boolean congested() {
    return streaming && next.congested();
  }

  @Override
  public boolean full() {
    return streaming && next.full();
  }
}

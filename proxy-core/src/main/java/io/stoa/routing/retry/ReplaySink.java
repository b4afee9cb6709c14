// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing.retry;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.operation.Cancellation;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.LargeMessage;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.operation.ResponseSink;
import io.stoa.upstream.server.Backend;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Stream;
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
  private final BufferedResponse held;
  private List<Backend> refusers = List.of();
  private Operation operation;
  private @Nullable Backend asked;
  private long askedAt;
  private @Nullable Operation twin;
  private boolean streaming;
  private int refusals;

  /** How often it was asked again for a refusal since a server has answered. */
  private int retries;

  private @Nullable Predicate<LdapMessage> unwanted;
  private boolean old;
  private boolean failed;

  ReplaySink(Replay replay, Operation operation) {
    super(operation.sink());
    this.replay = replay;
    this.operation = operation;
    this.held = new BufferedResponse(replay, operation.session());
  }

  /** Of some servers, those that have not refused the operation. */
  Predicate<Backend> open(Predicate<Backend> servers) {
    return refusers.isEmpty() ? servers : servers.and(backend -> !refusers.contains(backend));
  }

  /** One more server does not take it now. */
  void closedBy(Backend server) {
    refusers = Stream.concat(refusers.stream(), Stream.of(server)).toList();
  }

  /** Whether there are servers that are not to be asked. */
  boolean hasRefusers() {
    return !refusers.isEmpty();
  }

  /** All have refused it, but may take it later. */
  void forgive() {
    refusers = List.of();
  }

  /** It is asked again because a server has refused. */
  void retried() {
    retries++;
  }

  /** How often a server has refused it. */
  int refusals() {
    return refusals;
  }

  /** Whether a server has refused because of its own state. */
  static boolean isRefusal(LdapMessage response) {
    int code = LdapResult.codeOf(response.body());
    return code == BUSY || code == UNAVAILABLE;
  }

  /** The operation is about to be sent to the server. */
  void asks(Backend backend, @Nullable Predicate<LdapMessage> parts) {
    asked = backend;
    old = false;
    unwanted = parts;
    askedAt = System.nanoTime();
    replay.watch(operation, backend, new Attempt(askedAt));
  }

  /** Whether an answer of a server that may know too little was of no use. */
  boolean hasFailed() {
    return failed;
  }

  @Override
  public void respond(LdapMessage response) {
    Predicate<LdapMessage> those = unwanted;
    if (old) {
      response.release();
    } else if (those != null && (those.test(response) || !held.add(response))) {
      response.release();
      giveUp();
    } else if (those == null && (streaming || !held.add(response))) {
      stream();
      next.respond(response);
    }
  }

  /** What is too large to be held cannot be looked at before it is shown. */
  @Override
  public void respond(LargeMessage response) {
    if (unwanted != null) {
      giveUp();
    } else {
      stream();
      next.respond(response);
    }
  }

  @Override
  public void complete(LargeMessage response) {
    if (unwanted != null) {
      giveUp();
    } else {
      stream();
      next.complete(response);
    }
  }

  private void stream() {
    if (!streaming) {
      streaming = true;
      endTwin();
      held.passTo(next);
    }
  }

  private void drop() {
    endTwin();
    held.drop();
  }

  @Override
  public void complete(LdapMessage response) {
    if (old) {
      response.release();
      askAgain();
      return;
    }
    boolean bad = isRefusal(response);
    if (bad && goesOn()) {
      response.release();
      return;
    }
    if (!bad) {
      answered();
    }
    endTwin();
    held.passTo(next);
    next.complete(response);
  }

  /** The answer is of no use. Its sender goes on with the operation when this returns. */
  private void giveUp() {
    if (!old) {
      old = true;
      operation.session().executor().execute(this::askAgain);
    }
  }

  /** Where all is known. What has wrapped this for the server that was asked goes. */
  private void askAgain() {
    if (!old || operation.ended()) {
      return;
    }
    old = false;
    failed = true;
    unwanted = null;
    refusers = List.of();
    wereRight();
    Cancellation means = operation.cancellation();
    if (means != null) {
      means.abandon();
    }
    drop();
    operation.sink(this);
    operation.notReadFrom(Objects.requireNonNull(asked, "asked"));
    replay.mayBeOld(operation);
  }

  private void answered() {
    replay.answered(asked, System.nanoTime() - askedAt);
    wereRight();
  }

  private void wereRight() {
    replay.wereRight(retries);
    retries = 0;
  }

  /** Whether another server is asked instead. What has wrapped this for the one that was goes. */
  boolean goesOn() {
    Backend refuser = asked;
    if (refuser == null || operation.ended()) {
      return false;
    }
    closedBy(refuser);
    refusals++;
    operation.sink(this);
    return replay.refused(operation, refuser);
  }

  @Override
  public void complete(byte[] op) {
    endTwin();
    held.passTo(next);
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
    endTwin();
    operation = heir;
    return next.inherited(heir);
  }

  @Override
  public boolean restart() {
    drop();
    boolean begins = next.restart();
    streaming = streaming && !begins; // nothing of it has reached the client, and it is held anew
    return begins;
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

  // A second server that is asked, too

  /** One attempt to get an answer, which may be doubled as long as nothing of it has come. */
  private final class Attempt implements Hedge.Doubling {
    private final long begunAt;

    Attempt(long begunAt) {
      this.begunAt = begunAt;
    }

    @Override
    public boolean waits() {
      return askedAt == begunAt && !streaming && held.isEmpty() && twin == null;
    }

    @Override
    public Operation twin() {
      BufferedResponse other = new BufferedResponse(replay, operation.session());
      Operation second =
          operation.derived(
              operation.message().shared(), own -> new HedgedRequest(own, ReplaySink.this, other));
      twin = second;
      return second;
    }
  }

  private void endTwin() {
    Operation second = twin;
    twin = null;
    if (second != null) {
      second.abandon();
    }
  }

  /** The second server was first: the answer of the other one is nobody's. Takes ownership. */
  void overtaken(BufferedResponse whole, LdapMessage done) {
    twin = null;
    replay.overtaken(asked, System.nanoTime() - askedAt);
    wereRight();
    Cancellation means = operation.cancellation();
    if (means != null) {
      means.abandon();
    }
    held.drop();
    whole.passTo(next);
    next.complete(done);
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing.retry;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.Response;
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
 * Holds a result until its end, so that another server can be asked if the first fails or refuses
 * in between. A result above the limits streams from then on.
 *
 * <p>Threading: event loop.
 */
final class ReplaySink extends ForwardingSink {
  private static final int BUSY = 51;
  private static final int UNAVAILABLE = 52;

  private final Replay replay;
  private final BufferedResponse buffered;
  private List<Backend> refusers = List.of();
  private Operation operation;
  private @Nullable Backend askedServer;
  private long sentAt;
  private @Nullable Operation hedge;
  private boolean streaming;
  private int refusals;

  /** Number of retries after refusals since a server last answered. */
  private int retries;

  private @Nullable Predicate<LdapMessage> staleTest;
  private boolean stale;
  private boolean wasStale;

  ReplaySink(Replay replay, Operation operation) {
    super(operation.sink());
    this.replay = replay;
    this.operation = operation;
    this.buffered = new BufferedResponse(replay, operation.session());
  }

  /** Narrows servers to those that have not refused the operation. */
  Predicate<Backend> withoutRefusers(Predicate<Backend> servers) {
    return refusers.isEmpty() ? servers : servers.and(backend -> !refusers.contains(backend));
  }

  /** Adds a server that does not take the operation now. */
  void addRefuser(Backend server) {
    refusers = Stream.concat(refusers.stream(), Stream.of(server)).toList();
  }

  /** True if a server is excluded. */
  boolean hasRefusers() {
    return !refusers.isEmpty();
  }

  /** Admits all servers again, since they may take the operation later. */
  void readmit() {
    refusers = List.of();
  }

  /** Counts a retry after a refusal. */
  void countRetry() {
    retries++;
  }

  /** Returns the number of refusals of this operation. */
  int refusals() {
    return refusals;
  }

  /** True if a server has refused because of its own state: busy or unavailable. */
  static boolean isRefusal(LdapMessage response) {
    int code = LdapResult.codeOf(response.body());
    return code == BUSY || code == UNAVAILABLE;
  }

  /** Called before the operation is sent to a server. */
  void onSend(Backend backend, @Nullable Predicate<LdapMessage> parts) {
    askedServer = backend;
    stale = false;
    staleTest = parts;
    sentAt = System.nanoTime();
    replay.scheduleHedge(operation, backend, new Attempt(sentAt));
  }

  /** True if an answer was discarded since it may have been stale. */
  boolean wasStale() {
    return wasStale;
  }

  /** Handles a part. A large one cannot be held, and so not be checked before it is shown. */
  @Override
  public void respond(Response response) {
    if (response instanceof LdapMessage message) {
      add(message);
    } else if (staleTest != null) {
      giveUp();
    } else {
      stream();
      next.respond(response);
    }
  }

  @Override
  public void complete(Response response) {
    if (response instanceof LdapMessage message) {
      end(message);
    } else if (response instanceof LargeMessage && staleTest != null) {
      giveUp();
    } else {
      stream();
      next.complete(response);
    }
  }

  private void add(LdapMessage response) {
    Predicate<LdapMessage> those = staleTest;
    if (stale) {
      response.release();
    } else if (those != null && (those.test(response) || !buffered.add(response))) {
      response.release();
      giveUp();
    } else if (those == null && (streaming || !buffered.add(response))) {
      stream();
      next.respond(response);
    }
  }

  private void stream() {
    if (!streaming) {
      streaming = true;
      endHedge();
      buffered.passTo(next);
    }
  }

  private void drop() {
    endHedge();
    buffered.drop();
  }

  private void end(LdapMessage response) {
    if (stale) {
      response.release();
      resend();
      return;
    }
    boolean bad = isRefusal(response);
    if (bad && retryAfterRefusal()) {
      response.release();
      return;
    }
    if (!bad) {
      onAnswered();
    }
    endHedge();
    buffered.passTo(next);
    next.complete(response);
  }

  /**
   * Discards the answer. The retry follows after this call, since the caller still uses the
   * operation.
   */
  private void giveUp() {
    if (!stale) {
      stale = true;
      operation.session().executor().execute(this::resend);
    }
  }

  /**
   * Sends the operation to a server with all required writes. Sinks around this one belong to the
   * former server and are removed.
   */
  private void resend() {
    if (!stale || operation.hasEnded()) {
      return;
    }
    stale = false;
    wasStale = true;
    staleTest = null;
    refusers = List.of();
    returnRetries();
    Cancellation cancellation = operation.cancellation();
    if (cancellation != null) {
      cancellation.abandon();
    }
    drop();
    operation.setSink(this);
    operation.removeSource(Objects.requireNonNull(askedServer, "asked"));
    replay.onStale(operation);
  }

  private void onAnswered() {
    replay.recordLatency(askedServer, System.nanoTime() - sentAt);
    returnRetries();
  }

  private void returnRetries() {
    replay.returnRetries(retries);
    retries = 0;
  }

  /**
   * Asks another server after a refusal. Sinks around this one belong to the former server and are
   * removed.
   *
   * @return true if the operation is sent again
   */
  boolean retryAfterRefusal() {
    Backend refuser = askedServer;
    if (refuser == null || operation.hasEnded()) {
      return false;
    }
    addRefuser(refuser);
    refusals++;
    operation.removeSource(refuser);
    operation.setSink(this);
    return replay.onRefused(operation, refuser);
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
  public ResponseSink inherited(Operation successor) {
    endHedge();
    operation = successor;
    return next.inherited(successor);
  }

  @Override
  public boolean restart() {
    drop();
    boolean begins = next.restart();
    streaming = streaming && !begins; // restarted: nothing reached the client
    return begins;
  }

  /** True if the client is slow. A held answer does not reach the client yet. */
  @Override
  public boolean isCongested() {
    return streaming && next.isCongested();
  }

  @Override
  public boolean isFull() {
    return streaming && next.isFull();
  }

  // Hedged requests

  /** One attempt to get an answer, which may be hedged until a part has arrived. */
  private final class Attempt implements Hedge.HedgeSource {
    private final long begunAt;

    Attempt(long begunAt) {
      this.begunAt = begunAt;
    }

    @Override
    public boolean isWaiting() {
      return sentAt == begunAt && !streaming && buffered.isEmpty() && hedge == null;
    }

    @Override
    public Operation create() {
      BufferedResponse other = new BufferedResponse(replay, operation.session());
      Operation second =
          operation.derived(
              operation.message().retained(),
              own -> new HedgedRequest(own, ReplaySink.this, other));
      hedge = second;
      operation.onHedged();
      return second;
    }
  }

  private void endHedge() {
    Operation current = hedge;
    hedge = null;
    if (current != null) {
      current.abandon();
      current.sources().forEach(other -> operation.removeSource(other.server()));
    }
  }

  /** Called when the second server was first. The other answer is discarded. Takes ownership. */
  void onHedgeWon(BufferedResponse response, LdapMessage result) {
    hedge = null;
    replay.recordHedgeWin(askedServer, System.nanoTime() - sentAt);
    returnRetries();
    Cancellation cancellation = operation.cancellation();
    if (cancellation != null) {
      cancellation.abandon();
    }
    if (askedServer != null) {
      operation.removeSource(askedServer);
    }
    buffered.drop();
    response.passTo(next);
    next.complete(result);
  }
}

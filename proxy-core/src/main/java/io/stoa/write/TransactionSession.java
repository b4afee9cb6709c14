// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.net.peer.Peer;
import io.stoa.operation.ClientIdentity;
import io.stoa.operation.ClientSession;
import io.stoa.operation.InternalSession;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.operation.Restriction;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The session in which writes of clients of one identity are performed together. Its connection is
 * bound as they are, and serves nothing else. The session holds their password only during a
 * transaction. Notices of aborted transactions are dropped: the end of the transaction reports the
 * abort, too (RFC 5805, section 3.4).
 *
 * <p>Threading: event loop.
 */
final class TransactionSession extends InternalSession {
  private static final int MAX = 512;
  private static final int STEP = 8;
  private static final long REST_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final List<Runnable> resets = new ArrayList<>();
  private ClientIdentity identity = ClientIdentity.ANONYMOUS;
  private Peer peer = Peer.UNKNOWN;
  private int maxWrites = MAX;
  private int lastId;
  private long usedAt;
  private long pausedUntil = System.nanoTime();
  private boolean busy;

  /** Requests of the present transaction. */
  private final List<Operation> requests = new ArrayList<>();

  TransactionSession(EventExecutor loop) {
    super(loop);
  }

  /** Starts to act for a client, until {@link #endTransaction}. */
  void actFor(ClientSession client) {
    identity = client.identity().withCopiedCredentials();
    peer = client.peer();
  }

  /**
   * Ends a transaction, and releases the password.
   *
   * @param count number of writes in the transaction
   * @param performed true if they were performed; otherwise the next transaction has half as many
   */
  void endTransaction(int count, boolean performed) {
    busy = false;
    requests.clear();
    usedAt = System.nanoTime();
    maxWrites = performed ? Math.min(MAX, maxWrites + STEP) : Math.max(2, count / 2);
    identity = identity.wipeCredentials();
  }

  /** Claims the session for a transaction; false if it is busy, or pauses after a refusal. */
  boolean claim() {
    boolean free = !busy && pausedUntil - System.nanoTime() <= 0;
    busy |= free;
    return free;
  }

  /** Pauses the session for a minute, since the directory did not begin a transaction. */
  void pause() {
    pausedUntil = System.nanoTime() + REST_NANOS;
  }

  /** Releases a claimed session without a transaction. */
  void unclaim() {
    busy = false;
  }

  /** Returns the maximum number of writes in a transaction. */
  int maxWrites() {
    return maxWrites;
  }

  /** True if it has been idle since a time, and its pause was over by then. */
  boolean idleSince(long time) {
    return !busy && usedAt - time < 0 && pausedUntil - time < 0;
  }

  /** Adds a request of the present transaction. */
  void addRequest(Operation request) {
    requests.add(request);
  }

  /** Returns the next messageID; all messageIDs of its connection are its own. */
  int nextId() {
    lastId = lastId == Integer.MAX_VALUE ? 1 : lastId + 1;
    return lastId;
  }

  /** Ends the session's connection. */
  void end() {
    List<Runnable> pending = List.copyOf(resets);
    resets.clear();
    pending.forEach(Runnable::run);
  }

  @Override
  public ClientIdentity identity() {
    return identity;
  }

  @Override
  public Peer peer() {
    return peer;
  }

  @Override
  public Restriction restriction() {
    return Restriction.EXCLUSIVE;
  }

  @Override
  public void restrict(Restriction restriction) {
    // The session always has a connection of its own.
  }

  @Override
  public Doubt doubt() {
    return state -> {};
  }

  @Override
  public void onReset(Runnable action) {
    resets.add(action);
  }

  @Override
  public void disconnect(Rejection reason) {
    fail(reason);
  }

  @Override
  public void onConnectionLost(boolean byServer) {
    fail(Rejection.UPSTREAM_LOST);
  }

  /** Rejects all open requests, since no other response will come. */
  private void fail(Rejection reason) {
    end();
    for (Operation present : List.copyOf(requests)) {
      if (!present.hasEnded()) {
        present.sink().reject(reason);
      }
    }
  }
}

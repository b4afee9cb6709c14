// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import io.stoa.ldap.protocol.BerWriter;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.Redaction;
import io.stoa.operation.Cancellation;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.operation.Sending;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * One operation in flight on one upstream connection.
 *
 * <p>Threading: event loop.
 */
final class PendingOperation implements Cancellation {
  private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final UpstreamConnection connection;
  private final PendingOperations pending;
  private final int messageId;
  private Operation operation;
  private final long number;
  private final long sentAt = System.nanoTime();
  private long lastReceivedAt = sentAt;
  private boolean hasResponse;
  private final long flushCount;
  private final boolean longLived;
  private final boolean dedicated;
  private boolean countsForCap;
  private long slowAt;
  private boolean wasPaused;
  private boolean handedOver;

  /**
   * Creates the record of an operation that is about to be sent.
   *
   * @param number sequence number of the operation on this connection
   */
  PendingOperation(
      UpstreamConnection connection,
      PendingOperations pending,
      int messageId,
      Operation operation,
      long number) {
    this.pending = pending;
    this.connection = connection;
    this.messageId = messageId;
    this.operation = operation;
    this.number = number;
    this.flushCount = connection.requestWriter().flushCount();
    this.longLived = operation.isLongLived();
    this.dedicated = !longLived && pending.isDedicated();
  }

  int messageId() {
    return messageId;
  }

  Operation operation() {
    return operation;
  }

  /** Returns the sequence number of the operation on this connection. */
  long number() {
    return number;
  }

  /** Returns the facts by which the request is found in the server's log. */
  Sending sending() {
    return new Sending(
        connection.backend().address(),
        connection.lifetime().number(),
        connection.channel().localAddress(),
        messageId,
        sentAt);
  }

  /** Counts the operation as in flight at the server. */
  void begin() {
    if (connection.isCounted()) {
      connection.backend().onSent();
    }
    countsForCap = connection.isCounted() && !longLived && !dedicated;
    countUnpaced(1);
  }

  /** Removes the operation from the server's counts. */
  void end() {
    countUnpaced(-1);
    if (connection.isCounted()) {
      connection.backend().onEnded();
    }
  }

  private void countUnpaced(int delta) {
    if (longLived) {
      connection.backend().limiter().countLongLived(delta);
    } else if (dedicated) {
      connection.backend().limiter().countDedicated(delta);
    }
  }

  /** Adjusts the count of operations that were given up and may still occupy the server. */
  private void countAbandoned(int delta) {
    if (countsForCap) {
      connection.backend().limiter().countAbandoned(delta);
    }
  }

  /** Called when the operation is handed to another server because this one does not respond. */
  void onHandOver() {
    handedOver = true;
  }

  /**
   * True if the server has recovered since it was handed over for this operation. The health check
   * that proves it was sent later, so the operation no longer holds a place here.
   */
  private boolean hasServerRecovered() {
    return handedOver && connection.backend().limiter().cameUpSince(lastReceivedAt);
  }

  private boolean releasePlace() {
    countAbandoned(-1);
    return true;
  }

  /**
   * True if the request has certainly not left Stoa: nothing has been flushed since it was written.
   */
  boolean isUnsent() {
    return connection.requestWriter().flushCount() == flushCount;
  }

  /** Returns the time since the request was sent, in ns. */
  private long age(long now) {
    return Math.max(0, now - sentAt); // a server may send a response before the request
  }

  /**
   * True if the response time measures the server's speed. Writes and binds are excluded: their
   * cost varies. Also excluded are operations on a dedicated connection and those of a slow client.
   */
  private boolean isRead() {
    OpType type = operation.type();
    boolean read = type == OpType.SEARCH_REQUEST || type == OpType.COMPARE_REQUEST;
    return read && !wasPaused && slowAt == 0 && !pending.isDedicated();
  }

  /**
   * Called when reading resumes after a pause. The pause does not count as silence of the server.
   */
  void onReadResumed(long now) {
    wasPaused = true;
    restartTimeout(now);
  }

  /** Called when a part of the response arrives. */
  void onResponsePart(long now) {
    restartTimeout(now);
    operation.onResponsePart(now);
  }

  /** Reports the result to the server's statistics. */
  void reportResult(int code, long now) {
    if (connection.isCounted() && !operation.isLongLived()) {
      connection.backend().onResult(code, isRead(), age(now), now);
    } else {
      connection.backend().onOwnResponse();
    }
  }

  void restartTimeout(long now) {
    lastReceivedAt = now;
    hasResponse = true;
  }

  /** Returns when the last part of the response arrived, or when the request was sent. */
  long lastReceivedAt() {
    return lastReceivedAt;
  }

  /** Called when the client does not take the response at present. */
  void markSlow(long now) {
    slowAt = now;
  }

  /** True if the client did not take the response within the last 10 s, or still does not. */
  boolean isSlow(long now) {
    return now - slowAt < SLOW_NANOS || operation.sink().isCongested();
  }

  /**
   * True if the server has sent nothing for this operation for {@code nanos}. Always false for
   * persistent searches.
   */
  boolean isSilent(long now, long nanos) {
    return !operation.isLongLived() && now - lastReceivedAt > nanos;
  }

  /**
   * True if the operation has timed out. The time runs from the last part of the response. Before
   * the first part it runs from when the client began to wait, on whatever server that was.
   */
  boolean isOverdue(long now, long maxNanos) {
    long since = hasResponse ? lastReceivedAt : operation.waitsSince();
    return !operation.isLongLived() && (now - since > maxNanos || isBeyondTimeLimit(now));
  }

  /**
   * True if a retried search exceeds its own time limit. The last server counts from when it
   * received the request, the client from before.
   */
  private boolean isBeyondTimeLimit(long now) {
    return operation.sendings() > 1 && now - operation.receivedNanos() > operation.timeLimitNanos();
  }

  /** Returns the error to send to the client when the operation is overdue. */
  Rejection timeoutRejection() {
    return isBeyondTimeLimit(System.nanoTime()) ? Rejection.TIME_LIMIT : Rejection.UPSTREAM_TIMEOUT;
  }

  /**
   * Abandons the operation upstream, except updates and binds. The result of an update tells the
   * caches when it has taken effect, and a server need not abandon (RFC 4511, section 4.11). A bind
   * cannot be abandoned.
   */
  @Override
  public void abandon() {
    if (!operation.mayChange() && operation.type() != OpType.BIND_REQUEST) {
      connection.abandon(this);
    }
  }

  @Override
  public boolean canOutliveClient() {
    return !pending.isDedicated() && pending.contains(this);
  }

  @Override
  public void passOn(Operation successor) {
    operation = successor;
    successor.setCancellation(this);
  }

  /**
   * Forwards a Cancel request, unless Stoa must cancel by itself. Stoa does that in three cases:
   *
   * <ol>
   *   <li>Other clients wait for the same response.
   *   <li>The connection is bound as the service account. Servers need not accept proxied
   *       authorization in a Cancel request, and slapd does not.
   *   <li>The server does not read. Cancel requests would wait in memory without a bound.
   * </ol>
   *
   * <p>In cases 2 and 3 a Cancel of a change is answered {@code cannotCancel}.
   */
  @Override
  public boolean forward(Operation cancelRequest) {
    if (operation.sink().hasOtherWaiters()) {
      return false;
    }
    if (!connection.requestWriter().isService() && connection.channel().isWritable()) {
      return connection.cancel(this, cancelRequest);
    }
    if (operation.mayChange()) {
      cancelRequest.sink().reject(Rejection.CANNOT_CANCEL);
    }
    return operation.mayChange();
  }

  /** Returns the protocolOp that abandons the operation (RFC 4511, section 4.11). */
  byte[] abandonRequest() {
    return new BerWriter().integer(OpType.ABANDON_REQUEST.tag(), messageId).toByteArray();
  }

  /** Returns the request without any value, for logs. */
  String describe() {
    return Redaction.describe(operation.request());
  }

  /**
   * Abandoned operations that may still occupy the server. A server does not report when it has
   * stopped one, and slapd ends a connection on which too many wait.
   *
   * <p>An operation is forgotten on the first of these signs:
   *
   * <ol>
   *   <li>An operation that was sent later on this connection has been answered.
   *   <li>The server is up again, if the operation was handed over while it did not respond.
   *   <li>1 s has passed.
   * </ol>
   *
   * <p>Threading: event loop.
   */
  static final class Abandoned {
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ArrayDeque<PendingOperation> operations = new ArrayDeque<>();

    void add(PendingOperation exchange, long now) {
      exchange.restartTimeout(now);
      exchange.countAbandoned(1);
      operations.add(exchange);
    }

    int size() {
      return operations.size();
    }

    /** Called when an operation is answered. Returns true if earlier ones were forgotten. */
    boolean onAnswered(PendingOperation later) {
      return !operations.isEmpty() && forget(earlier -> earlier.number < later.number);
    }

    /**
     * Forgets operations by time or because the server is up again. Returns true if there were any.
     */
    boolean expire(long now) {
      return !operations.isEmpty()
          && forget(one -> now - one.lastReceivedAt > WAIT_NANOS || one.hasServerRecovered());
    }

    /** Called when the connection has ended, and with it all its operations. */
    void end() {
      forget(any -> true);
    }

    private boolean forget(Predicate<PendingOperation> matching) {
      return operations.removeIf(exchange -> matching.test(exchange) && exchange.releasePlace());
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import io.stoa.ldap.protocol.OpType;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.Rejection;
import io.stoa.upstream.server.Backend;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies response time-outs to the operations of one connection.
 *
 * <p>Threading: event loop.
 */
final class ResponseTimeout {
  private static final Logger LOG = LoggerFactory.getLogger(ResponseTimeout.class);

  /** Silence after which a cut result is not expected to be completed: 1 s. */
  private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final UpstreamConnection connection;
  private final PendingOperations inFlight;
  private final ResponseReader incoming;
  private final Congestion congestion;
  private final @Nullable Consumer<ResponseTimeout> watchdog;

  /** Time at which the server last sent anything. */
  private long lastReceivedAt = System.nanoTime();

  private boolean anyReceived;
  private boolean watched;

  /** True if a request of Stoa's own awaits its response. */
  private boolean ownRequestPending;

  private long ownRequestSentAt;

  /**
   * Creates the time-outs of one connection.
   *
   * @param watchdog calls {@link #check} from time to time, until it returns false; null for
   *     health-check connections
   */
  ResponseTimeout(
      UpstreamConnection connection,
      PendingOperations inFlight,
      ResponseReader incoming,
      Congestion congestion,
      @Nullable Consumer<ResponseTimeout> watchdog) {
    this.connection = connection;
    this.inFlight = inFlight;
    this.incoming = incoming;
    this.congestion = congestion;
    this.watchdog = watchdog;
  }

  /** Called when anything arrives. */
  void onReceived(long now) {
    lastReceivedAt = now;
    anyReceived = true;
  }

  /** Called when a response becomes due: registers with the watchdog. */
  void onRequest() {
    if (!watched && watchdog != null) {
      watched = true;
      watchdog.accept(this);
    }
  }

  /** Called when Stoa has sent a request of its own. */
  void onOwnRequest() {
    ownRequestPending = true;
    ownRequestSentAt = System.nanoTime();
    onRequest();
  }

  /** Called when Stoa's own request is answered, or will not be. */
  void onOwnRequestEnded(boolean answered) {
    ownRequestPending = false;
    if (answered) {
      connection.backend().onOwnResponse();
    }
  }

  /** True if a response is due and nothing has arrived for {@code nanos}. */
  boolean isSilent(long now, long nanos) {
    return now - lastReceivedAt > nanos
        && ((ownRequestPending && now - ownRequestSentAt > nanos)
            || (!inFlight.isEmpty()
                && inFlight.all().stream().anyMatch(exchange -> exchange.isSilent(now, nanos))));
  }

  /**
   * True if the server is down and has been silent for 1 s, here and on all other connections. No
   * response is expected then, however recent the request. A server that is ejected for its results
   * is not dead.
   */
  boolean isServerDead(long now) {
    boolean quiet = !anyReceived || now - lastReceivedAt > QUIET_NANOS;
    Backend server = connection.backend();
    return quiet
        && !congestion.isPaused()
        && server.health().isDown()
        && !server.hasAnsweredSince(now - QUIET_NANOS);
  }

  /** Requests a health check of a silent server. Returns false if no response is due any more. */
  boolean check(long now, long nanos) {
    watched = ownRequestPending || !inFlight.isEmpty();
    if (watched && !congestion.isPaused() && isSilent(now, nanos)) {
      connection.backend().health().requestCheck(newestSilence(now, nanos) + nanos, now, nanos);
    }
    return watched;
  }

  /** Returns when the newest of the current silences began. */
  private long newestSilence(long now, long nanos) {
    long ownSilence =
        ownRequestPending && now - ownRequestSentAt > nanos ? ownRequestSentAt : lastReceivedAt;
    return inFlight.all().stream()
        .filter(exchange -> exchange.isSilent(now, nanos))
        .mapToLong(PendingOperation::lastReceivedAt)
        .reduce(Math.max(ownSilence, lastReceivedAt), Math::max);
  }

  /**
   * Hands restartable operations to another server. The others are given up if this server is down.
   */
  void handOver(Consumer<Operation> other) {
    connection.backend().onHandOver();
    boolean serverDown = !congestion.isPaused() && connection.backend().health().isDown();
    boolean serverDead = isServerDead(System.nanoTime());
    for (PendingOperation pending : inFlight.all()) {
      Operation operation = pending.operation();
      if (operation.beginAgain()) {
        connection.backend().onTimeout();
        pending.onHandOver();
        connection.abandon(pending);
        other.accept(operation);
      } else if (operation.mayChange()) {
        giveUpChange(pending, serverDead);
      } else {
        giveUpRead(pending, serverDown, serverDead && !operation.isLongLived());
      }
    }
  }

  /** Reports a change as of unknown outcome if the server is dead. */
  private void giveUpChange(PendingOperation pending, boolean serverDead) {
    if (serverDead && !pending.operation().hasEnded()) {
      awaitLateResult(pending, System.nanoTime());
    }
  }

  /**
   * Gives up an operation that can neither be restarted nor has changed anything. A shared search
   * whose client has gone is always rejected: the clients that joined it then send it themselves.
   */
  private void giveUpRead(PendingOperation pending, boolean serverDown, boolean serverDead) {
    Operation operation = pending.operation();
    boolean cut = serverDown && operation.state() == OperationState.STREAMING;
    boolean givesUp = serverDead || (cut && pending.isSilent(System.nanoTime(), QUIET_NANOS));
    if (givesUp || operation.sink().hasOtherWaiters()) {
      connection.abandon(pending);
      operation.sink().reject(cut ? Rejection.RESULT_CUT : Rejection.UPSTREAM_LOST);
    }
  }

  /**
   * Gives up operations that have waited longer than {@code maxNanos} for a part of their response.
   */
  void expire(long now, long maxNanos) {
    if (congestion.isPaused()) {
      return;
    }
    if (incoming.isOverdue(now, maxNanos)) {
      LOG.warn(
          "upstream {} stopped sending in the middle of a message; connection closed", address());
      connection.close();
    }
    for (PendingOperation pending : inFlight.all()) {
      if (pending.isOverdue(now, maxNanos)) {
        giveUp(pending, now, maxNanos);
      }
    }
  }

  private void giveUp(PendingOperation pending, long now, long maxNanos) {
    Operation operation = pending.operation();
    countTimeout(pending, now, maxNanos);
    LOG.warn(
        "upstream {} timed out (upstream.operationTimeout): {}", address(), pending.describe());
    if (!operation.mayChange() && operation.type() != OpType.BIND_REQUEST) {
      if (inFlight.hasNoLaterAnswer(pending)) {
        connection.drain(); // the connection may be half-open: nothing more is sent on it
      }
      connection.abandon(pending);
      operation.sink().reject(pending.timeoutRejection());
    } else if (operation.hasEnded()) {
      connection.close();
    } else {
      awaitLateResult(pending, now);
    }
  }

  /**
   * Reports the change as timed out and drains the connection. The change may still take effect, so
   * its result is awaited for another time-out.
   */
  private void awaitLateResult(PendingOperation pending, long now) {
    pending.operation().sink().reject(Rejection.UPSTREAM_TIMEOUT);
    pending.restartTimeout(now);
    connection.drain();
  }

  /**
   * Counts a time-out against the server, if the operation spent at least half of its time there.
   */
  private void countTimeout(PendingOperation pending, long now, long maxNanos) {
    if (pending.isSilent(now, maxNanos / 2)) {
      connection.backend().onTimeout();
    }
  }

  private Object address() {
    return connection.backend().address();
  }
}

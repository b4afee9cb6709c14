// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import io.stoa.ldap.protocol.BerWriter;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.Redaction;
import io.stoa.operation.Cancellation;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.upstream.server.Backend;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** One operation in flight on one upstream connection. Event-loop confined. */
final class PendingOperation implements Cancellation {
  private static final long SLOW_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final UpstreamConnection connection;
  private final PendingOperations places;
  private final int messageId;
  private Operation operation;
  private final long number;
  private final long begun = System.nanoTime();
  private long lastHeard = begun;
  private boolean heard;
  private final long round;
  private final boolean endless;
  private final boolean ofOne;
  private boolean paced;
  private long slowAt;
  private boolean held;
  private boolean handedOver;

  /**
   * Makes the exchange of an operation that is about to be sent.
   *
   * @param number counts what is sent on the connection
   */
  PendingOperation(
      UpstreamConnection connection,
      PendingOperations places,
      int messageId,
      Operation operation,
      long number) {
    this.places = places;
    this.connection = connection;
    this.messageId = messageId;
    this.operation = operation;
    this.number = number;
    this.round = connection.outlet().rounds();
    this.endless = operation.longLived();
    this.ofOne = !endless && places.keepsClientsIds();
  }

  int messageId() {
    return messageId;
  }

  Operation operation() {
    return operation;
  }

  /** Counts what is sent on the connection. */
  long number() {
    return number;
  }

  /** It is under way from now on. */
  void begin(Backend server, boolean counted) {
    server.sent(counted);
    paced = counted && !endless && !ofOne;
    if (endless) {
      server.places().endless(1);
    } else if (ofOne) {
      server.places().own(1);
    }
  }

  /** It is under way no more. */
  void end(Backend server, boolean counted) {
    if (endless) {
      server.places().endless(-1);
    } else if (ofOne) {
      server.places().own(-1);
    }
    server.ended(counted);
  }

  /** The server may still work on it although it is given up, or does not any more. */
  private void astray(int more) {
    if (paced) {
      connection.backend().places().astray(more);
    }
  }

  /** It is left to another server, since this one is silent. */
  void handedOver() {
    handedOver = true;
  }

  /**
   * Whether that silence is over: the server has answered a probe that was sent after this, which
   * must not hold the place of what waits for just this server.
   */
  private boolean isOfSilence() {
    return handedOver && connection.backend().places().upSince(lastHeard);
  }

  private boolean returned() {
    astray(-1);
    return true;
  }

  /** Whether the request has certainly not left Stoa. */
  boolean unsent() {
    return connection.outlet().rounds() == round;
  }

  /** How long ago it was sent, in nanoseconds. */
  private long age(long now) {
    return now - begun;
  }

  /**
   * Whether it is one whose time tells how the server is: writes and binds take what they take, and
   * so do operations of one client that has a connection of its own, or that is slow itself.
   */
  private boolean isRead() {
    OpType type = operation.type();
    boolean read = type == OpType.SEARCH_REQUEST || type == OpType.COMPARE_REQUEST;
    return read && !held && slowAt == 0 && !places.keepsClientsIds();
  }

  /** Its answer was not read for a while. */
  void resumed(long now) {
    held = true;
    heard(now);
  }

  /** A part of the answer has come. */
  void received(long now) {
    heard(now);
    operation.heard(now);
  }

  /** What its answer says of the server. */
  void tell(Backend backend, int code, boolean counted) {
    if (counted && !operation.longLived()) {
      backend.answered(code, isRead(), age(System.nanoTime()));
    } else {
      backend.heard();
    }
  }

  void heard(long now) {
    lastHeard = now;
    heard = true;
  }

  /** When the last part of the answer came, or the request was sent. */
  long lastHeard() {
    return lastHeard;
  }

  /** The client does not take the answer at present. */
  void slowAt(long now) {
    slowAt = now;
  }

  /** Whether the client did not take the answer a while ago, or still does not. */
  boolean isSlow(long now) {
    return now - slowAt < SLOW_NANOS || operation.sink().congested();
  }

  /** Whether the server has been silent on the operation for so long. */
  boolean silent(long now, long nanos) {
    return !operation.longLived() && now - lastHeard > nanos;
  }

  /**
   * Whether the operation has waited for longer than it may: for the next part of the answer, or
   * for the first one since its client waits, wherever it has been before.
   */
  boolean overdue(long now, long mostNanos) {
    long since = heard ? lastHeard : operation.waitsSince();
    return !operation.longLived() && (now - since > mostNanos || beyondTimeLimit(now));
  }

  /** The last server counts its time limit from when it was asked, the client from before. */
  private boolean beyondTimeLimit(long now) {
    return operation.sendings() > 1 && now - operation.receivedNanos() > operation.timeLimitNanos();
  }

  /** Why it is given up when it is overdue. */
  Rejection expiry() {
    return beyondTimeLimit(System.nanoTime()) ? Rejection.TIME_LIMIT : Rejection.UPSTREAM_TIMEOUT;
  }

  /**
   * An update that was sent is not abandoned upstream: its result is what tells the caches when it
   * has taken effect (a server need not abandon, RFC 4511 section 4.11). A bind cannot be.
   */
  @Override
  public void abandon() {
    if (!operation.mayChange() && operation.type() != OpType.BIND_REQUEST) {
      connection.abandon(this);
    }
  }

  @Override
  public boolean outlives() {
    return !places.keepsClientsIds() && places.holds(this);
  }

  @Override
  public void passOn(Operation heir) {
    operation = heir;
    heir.cancellation(this);
  }

  /**
   * What others want, too, is Stoa's to cancel for one of them. Stoa also cancels by itself what
   * only asks, in two cases. On a connection of the service account, servers need not take the
   * control of proxied authorization in a Cancel request, and slapd does not. To a server that does
   * not read, Cancel requests would wait in memory without a bound.
   */
  @Override
  public boolean forward(Operation cancelRequest) {
    if (operation.sink().wanted()) {
      return false;
    }
    if (!connection.outlet().isService() && connection.channel().isWritable()) {
      return connection.cancel(this, cancelRequest);
    }
    if (operation.mayChange()) {
      cancelRequest.sink().reject(Rejection.CANNOT_CANCEL);
    }
    return operation.mayChange();
  }

  /** The protocolOp that gives up the operation (RFC 4511, section 4.11). */
  byte[] abandonRequest() {
    return new BerWriter().integer(OpType.ABANDON_REQUEST.tag(), messageId).toByteArray();
  }

  /** The request without any value, for a log. */
  String describe() {
    try {
      return Redaction.describe(operation.request());
    } catch (LdapProtocolException e) {
      return operation.type().name();
    }
  }

  /**
   * Operations that were abandoned, and may still take a place with the server: it does not say
   * when it is done with one, and slapd ends a connection on which too many wait. An operation that
   * was sent later and has been answered shows that the earlier ones do not wait any more, and so
   * does, of what was handed over when the server was silent, that it is up again; if there is
   * neither, a second must do. Event-loop confined.
   */
  static final class Abandoned {
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ArrayDeque<PendingOperation> exchanges = new ArrayDeque<>();

    void add(PendingOperation exchange, long now) {
      exchange.heard(now);
      exchange.astray(1);
      exchanges.add(exchange);
    }

    int size() {
      return exchanges.size();
    }

    /** Whether places have become free because a later operation was answered. */
    boolean answered(PendingOperation later) {
      return !exchanges.isEmpty() && forget(earlier -> earlier.number < later.number);
    }

    /** Whether places have become free because time has passed, or the server is up again. */
    boolean expire(long now) {
      return !exchanges.isEmpty()
          && forget(one -> now - one.lastHeard > WAIT_NANOS || one.isOfSilence());
    }

    /** The connection has ended, and with it what was asked there. */
    void end() {
      forget(any -> true);
    }

    private boolean forget(Predicate<PendingOperation> which) {
      return exchanges.removeIf(exchange -> which.test(exchange) && exchange.returned());
    }
  }
}

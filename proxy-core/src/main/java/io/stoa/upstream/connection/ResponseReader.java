// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import io.netty.buffer.ByteBuf;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.OpType;
import io.stoa.operation.Hold;
import io.stoa.operation.LargeMessage;
import io.stoa.operation.Operation;
import io.stoa.upstream.server.Backend;
import org.jspecify.annotations.Nullable;

/**
 * Reads what arrives on one upstream connection and delivers each response to its operation, by
 * messageID.
 *
 * <p>Threading: event loop.
 */
final class ResponseReader {
  private final UpstreamConnection connection;
  private final PendingOperations inFlight;
  private final Congestion congestion;
  private @Nullable LargeArrival arriving;

  ResponseReader(UpstreamConnection connection, PendingOperations inFlight, Congestion congestion) {
    this.connection = connection;
    this.inFlight = inFlight;
    this.congestion = congestion;
  }

  /**
   * Takes a message, the head of a large message or a piece of one from the frame decoder. Takes
   * ownership.
   */
  void received(Object received) {
    if (received instanceof LdapMessage message) {
      received(message);
    } else if (received instanceof LdapMessage.Head head) {
      begun(head);
    } else {
      arrived((ByteBuf) received);
    }
  }

  private void received(LdapMessage message) {
    int id = message.messageId();
    PendingOperation exchange = inFlight.get(id);
    if (exchange != null) {
      answer(exchange, message);
    } else if (id == PendingOperations.OWN_ID) {
      connection.ownRequestAnswered(message);
    } else if (id == 0) {
      connection.owner().unsolicited(connection, message);
    } else {
      message.release(); // response to an abandoned or unknown operation
    }
  }

  private void answer(PendingOperation exchange, LdapMessage message) {
    OpType type = message.type();
    if (type == exchange.operation().type().response() || refusesInGeneral(message)) {
      answered(exchange, message);
    } else if (type.isFinalResponse() || type.isRequest()) {
      message.release();
      connection.broken(exchange);
    } else {
      exchange.received(System.nanoTime());
      exchange.operation().sink().respond(message);
      congestion.check(exchange);
    }
  }

  private void answered(PendingOperation exchange, LdapMessage message) {
    int code = LdapResult.codeOf(message.body());
    connection.answered(exchange, code);
    Operation operation = exchange.operation();
    if (Backend.isRefusal(code)
        && connection.owner() instanceof RefusalHandler retrier
        && retrier.refused(operation)) {
      message.release();
    } else {
      operation.sink().complete(message);
    }
    connection.room();
  }

  /**
   * True if the message is a general refusal. Samba answers any request that has an unknown
   * critical control with an ExtendedResponse. The client gets it unchanged; no code takes it for
   * success.
   */
  private static boolean refusesInGeneral(LdapMessage message) {
    return message.type() == OpType.EXTENDED_RESPONSE && LdapResult.codeOf(message.body()) > 0;
  }

  // Messages that are too large to be collected

  private void begun(LdapMessage.Head head) {
    PendingOperation exchange = inFlight.get(head.messageId());
    LargeArrival large = LargeArrival.of(head, exchange);
    if (large == null) {
      connection.broken(exchange);
    } else {
      arriving = large;
      large.begin();
    }
  }

  private void arrived(ByteBuf piece) {
    LargeArrival large = arriving;
    if (large == null) {
      piece.release(); // the message of this piece has already ended the connection
    } else if (large.endsWith(piece)) {
      arriving = null;
      ended(large, piece);
    } else {
      large.receive(piece);
      congestion.check(large);
      if (large.wasted() && inFlight.isEmpty() && !inFlight.keepsClientsIds()) {
        connection.close();
      }
    }
  }

  private void ended(LargeArrival large, ByteBuf lastPiece) {
    PendingOperation exchange = large.exchange();
    if (exchange != null && large.last() && inFlight.holds(exchange)) {
      connection.answered(exchange, 0); // a refusal is never that large
    }
    large.receive(lastPiece);
    connection.room();
  }

  /** True if a large message has begun and its end has not arrived. */
  boolean midMessage() {
    return arriving != null;
  }

  /**
   * True if the server has paused in the middle of a large message for longer than {@code
   * mostNanos}.
   */
  boolean overdue(long now, long mostNanos) {
    return arriving != null && arriving.overdue(now, mostNanos);
  }

  /** Called when reading resumes after a pause: the server was not silent meanwhile. */
  void resumed(long now) {
    inFlight.all().forEach(exchange -> exchange.resumed(now));
    if (arriving != null) {
      arriving.heard(now);
    }
  }

  /** Ends a large message whose rest will not arrive. */
  void cutOff() {
    LargeArrival half = arriving;
    arriving = null;
    if (half != null) {
      half.cutOff();
    }
  }

  /**
   * A message that is too large to be collected, while it arrives. If its operation is abandoned,
   * the rest of the message still arrives here.
   *
   * <p>Threading: event loop.
   */
  static final class LargeArrival {
    /**
     * Most octets worth reading only to discard them: 1 MiB. More costs as much as a new
     * connection.
     */
    private static final int WORTH_READING = 1024 * 1024;

    private final LargeMessage message;
    private final @Nullable PendingOperation exchange;
    private final boolean last;
    private long lastHeard = System.nanoTime();

    private LargeArrival(LdapMessage.Head head, @Nullable PendingOperation exchange, boolean last) {
      this.message = new LargeMessage(head);
      this.exchange = exchange;
      this.last = last;
    }

    /**
     * Creates the record of a large message from its head, or returns null if the message is
     * invalid here. Responses to binds, responses to Stoa's own requests and notifications are
     * never that large.
     *
     * @param exchange the operation of that messageID; null if it is unknown or was abandoned
     */
    static @Nullable LargeArrival of(LdapMessage.Head head, @Nullable PendingOperation exchange) {
      OpType type = head.type();
      boolean last = exchange != null && type == exchange.operation().type().response();
      boolean ours = head.messageId() == 0 || head.messageId() == PendingOperations.OWN_ID;
      boolean fits = exchange == null ? !ours : last || !type.isFinalResponse();
      return fits && type != OpType.BIND_RESPONSE && !type.isRequest()
          ? new LargeArrival(head, exchange, last)
          : null;
    }

    /** Announces the message to its operation. Without an operation the body is discarded. */
    void begin() {
      if (exchange != null && last) {
        exchange.operation().sink().complete(message);
      } else if (exchange != null) {
        exchange.operation().sink().respond(message);
      }
    }

    /** True if {@code piece} is the last piece. */
    boolean endsWith(ByteBuf piece) {
      return message.missing() == piece.readableBytes();
    }

    void receive(ByteBuf piece) {
      heard(System.nanoTime());
      message.receive(piece);
    }

    void heard(long now) {
      lastHeard = now;
      if (exchange != null) {
        exchange.received(now);
      }
    }

    /** True if the server has paused within the message for longer than {@code mostNanos}. */
    boolean overdue(long now, long mostNanos) {
      return now - lastHeard > mostNanos;
    }

    void cutOff() {
      message.cutOff();
    }

    /** True if the rest is unwanted, and closing the connection is cheaper than reading it. */
    boolean wasted() {
      return !message.wanted() && message.missing() > WORTH_READING;
    }

    boolean congested() {
      return message.congested();
    }

    boolean full() {
      return message.full();
    }

    boolean hold(Hold hold) {
      return message.hold(hold);
    }

    /** Returns the operation that the message answers; null if unknown or abandoned. */
    @Nullable PendingOperation exchange() {
      return exchange;
    }

    /** True if the message is the final response of the operation. */
    boolean last() {
      return last;
    }
  }
}

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
 * What arrives on one upstream connection: finds the operation to which it is an answer by its
 * messageID. Event-loop confined.
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

  /** What the frame decoder has made of the octets that arrived. Takes ownership. */
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
      message.release(); // for an operation that was abandoned, or for none
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
   * Samba refuses a critical control that it does not know by an ExtendedResponse, whatever it was
   * asked. Its client gets that as it is; nothing takes it for success.
   */
  private static boolean refusesInGeneral(LdapMessage message) {
    return message.type() == OpType.EXTENDED_RESPONSE && LdapResult.codeOf(message.body()) > 0;
  }

  // What is too large to be collected

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
      piece.release(); // what it was a part of ended the connection
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

  /** Whether the end of a message is on its way, for whomever. */
  boolean midMessage() {
    return arriving != null;
  }

  /** Whether the server has been silent in the middle of a message for longer than it may. */
  boolean overdue(long now, long mostNanos) {
    return arriving != null && arriving.overdue(now, mostNanos);
  }

  /** Reading goes on after it has paused: the server was not silent. */
  void resumed(long now) {
    inFlight.all().forEach(exchange -> exchange.resumed(now));
    if (arriving != null) {
      arriving.heard(now);
    }
  }

  /** What has arrived by half cannot be completed by anybody. */
  void cutOff() {
    LargeArrival half = arriving;
    arriving = null;
    if (half != null) {
      half.cutOff();
    }
  }

  /**
   * A message that is too large to be collected, while it arrives on a connection. It lasts longer
   * than its exchange if that is abandoned. Event-loop confined.
   */
  static final class LargeArrival {
    /** To read so much for nobody costs about as much as a new connection. */
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
     * Makes the arrival of a message of which the head is there; null if it cannot be an answer to
     * the exchange. Binds and Stoa's own requests have no such answers, nor does a server notify of
     * so much.
     *
     * @param exchange that of the messageID; null if it is none, or was abandoned
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

    /** Announces the message to the operation; without one it is discarded. */
    void begin() {
      if (exchange != null && last) {
        exchange.operation().sink().complete(message);
      } else if (exchange != null) {
        exchange.operation().sink().respond(message);
      }
    }

    /** Whether nothing is missing behind these octets. */
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

    /** Whether the server has been silent in the middle of the message for longer than it may. */
    boolean overdue(long now, long mostNanos) {
      return now - lastHeard > mostNanos;
    }

    void cutOff() {
      message.cutOff();
    }

    /** Whether so much is left to be read for nobody that to close the connection is cheaper. */
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

    /** What it is an answer to; null for nothing that is known. */
    @Nullable PendingOperation exchange() {
      return exchange;
    }

    /** Whether it is the exchange's final response. */
    boolean last() {
      return last;
    }
  }
}

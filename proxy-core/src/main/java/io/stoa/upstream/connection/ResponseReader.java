// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.connection;

import io.netty.buffer.ByteBuf;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.OpType;
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
  private @Nullable LargeResponse largeResponse;

  ResponseReader(UpstreamConnection connection, PendingOperations inFlight, Congestion congestion) {
    this.connection = connection;
    this.inFlight = inFlight;
    this.congestion = congestion;
  }

  /**
   * Takes a message, the head of a large message or a piece of one from the frame decoder. Takes
   * ownership.
   *
   * @param now time of receipt, as {@link System#nanoTime}
   */
  void receive(Object received, long now) {
    if (received instanceof LdapMessage message) {
      receive(message, now);
    } else if (received instanceof LdapMessage.Head head) {
      onHead(head);
    } else {
      onPiece((ByteBuf) received);
    }
  }

  private void receive(LdapMessage message, long now) {
    int id = message.messageId();
    PendingOperation pending = inFlight.get(id);
    if (pending != null) {
      answer(pending, message, now);
    } else if (id == PendingOperations.OWN_ID) {
      connection.onOwnResponse(message);
    } else if (id == 0) {
      connection.owner().onNotification(connection, message);
    } else {
      message.release(); // response to an abandoned or unknown operation
    }
  }

  private void answer(PendingOperation pending, LdapMessage message, long now) {
    OpType type = message.type();
    if (type == pending.operation().type().response() || refusesInGeneral(message)) {
      onAnswered(pending, message, now);
    } else if (type.isFinalResponse() || type.isRequest()) {
      message.release();
      connection.onInvalidResponse(pending);
    } else {
      pending.onResponsePart(now);
      pending.operation().sink().respond(message);
      congestion.check(pending);
    }
  }

  private void onAnswered(PendingOperation pending, LdapMessage message, long now) {
    int code = LdapResult.quickCodeOf(message.body());
    connection.onAnswered(pending, code, now);
    Operation operation = pending.operation();
    if (Backend.isRefusal(code) && connection.owner().onRefused(operation)) {
      message.release();
    } else {
      operation.sink().complete(message);
    }
    connection.onRoom();
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

  private void onHead(LdapMessage.Head head) {
    PendingOperation pending = inFlight.get(head.messageId());
    LargeResponse large = LargeResponse.of(head, pending);
    if (large == null) {
      connection.onInvalidResponse(pending);
    } else {
      largeResponse = large;
      large.announce();
    }
  }

  private void onPiece(ByteBuf piece) {
    LargeResponse large = largeResponse;
    if (large == null) {
      piece.release(); // the message of this piece has already ended the connection
    } else if (large.endsWith(piece)) {
      largeResponse = null;
      onLastPiece(large, piece);
    } else {
      large.receive(piece);
      congestion.check(large);
      if (large.isWasteful() && inFlight.isEmpty() && !inFlight.isDedicated()) {
        connection.close();
      }
    }
  }

  private void onLastPiece(LargeResponse large, ByteBuf lastPiece) {
    PendingOperation pending = large.pending();
    if (pending != null && large.isLast() && inFlight.contains(pending)) {
      connection.onAnswered(pending, 0, System.nanoTime()); // a refusal is never that large
    }
    large.receive(lastPiece);
    connection.onRoom();
  }

  /** True if a large message has begun and its end has not arrived. */
  boolean isMidMessage() {
    return largeResponse != null;
  }

  /**
   * True if the server has paused in the middle of a large message for longer than {@code
   * maxNanos}.
   */
  boolean isOverdue(long now, long maxNanos) {
    return largeResponse != null && largeResponse.isOverdue(now, maxNanos);
  }

  /** Called when reading resumes after a pause: the server was not silent meanwhile. */
  void onReadResumed(long now) {
    inFlight.all().forEach(exchange -> exchange.onReadResumed(now));
    if (largeResponse != null) {
      largeResponse.restartTimeout(now);
    }
  }

  /** Ends a large message whose rest will not arrive. */
  void cutOff() {
    LargeResponse half = largeResponse;
    largeResponse = null;
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
  static final class LargeResponse {
    /**
     * Most octets worth reading only to discard them: 1 MiB. More costs as much as a new
     * connection.
     */
    private static final int WORTH_READING = 1024 * 1024;

    private final LargeMessage message;
    private final @Nullable PendingOperation pending;
    private final boolean last;
    private long lastReceivedAt = System.nanoTime();

    private LargeResponse(LdapMessage.Head head, @Nullable PendingOperation pending, boolean last) {
      this.message = new LargeMessage(head);
      this.pending = pending;
      this.last = last;
    }

    /**
     * Creates the record of a large message from its head, or returns null if the message is
     * invalid here. Responses to binds, responses to Stoa's own requests and notifications are
     * never that large.
     *
     * @param exchange the operation of that messageID; null if it is unknown or was abandoned
     */
    static @Nullable LargeResponse of(LdapMessage.Head head, @Nullable PendingOperation exchange) {
      OpType type = head.type();
      boolean last = exchange != null && type == exchange.operation().type().response();
      boolean ours = head.messageId() == 0 || head.messageId() == PendingOperations.OWN_ID;
      boolean fits = exchange == null ? !ours : last || !type.isFinalResponse();
      return fits && type != OpType.BIND_RESPONSE && !type.isRequest()
          ? new LargeResponse(head, exchange, last)
          : null;
    }

    /** Announces the message to its operation. Without an operation the body is discarded. */
    void announce() {
      if (pending != null && last) {
        pending.operation().sink().complete(message);
      } else if (pending != null) {
        pending.operation().sink().respond(message);
      }
    }

    /** True if {@code piece} is the last piece. */
    boolean endsWith(ByteBuf piece) {
      return message.missing() == piece.readableBytes();
    }

    void receive(ByteBuf piece) {
      restartTimeout(System.nanoTime());
      message.receive(piece);
    }

    void restartTimeout(long now) {
      lastReceivedAt = now;
      if (pending != null) {
        pending.onResponsePart(now);
      }
    }

    /** True if the server has paused within the message for longer than {@code maxNanos}. */
    boolean isOverdue(long now, long maxNanos) {
      return now - lastReceivedAt > maxNanos;
    }

    void cutOff() {
      message.cutOff();
    }

    /** True if the rest is unwanted, and closing the connection is cheaper than reading it. */
    boolean isWasteful() {
      return !message.isWanted() && message.missing() > WORTH_READING;
    }

    LargeMessage message() {
      return message;
    }

    /** Returns the operation that the message answers; null if unknown or abandoned. */
    @Nullable PendingOperation pending() {
      return pending;
    }

    /** True if the message is the final response of the operation. */
    boolean isLast() {
      return last;
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream;

import io.netty.buffer.ByteBuf;
import io.stoa.ldap.LdapMessage;
import io.stoa.ldap.OpType;
import io.stoa.operation.LargeMessage;
import org.jspecify.annotations.Nullable;

/**
 * A message that is too large to be collected, while it arrives on a connection. It lasts longer
 * than its exchange if that is abandoned. Event-loop confined.
 */
final class LargeArrival {
  /** To read so much for nobody costs about as much as a new connection. */
  private static final int WORTH_READING = 1024 * 1024;

  private final LargeMessage message;
  private final @Nullable Exchange exchange;
  private final boolean last;
  private long lastHeard = System.nanoTime();

  private LargeArrival(LdapMessage.Head head, @Nullable Exchange exchange, boolean last) {
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
  static @Nullable LargeArrival of(LdapMessage.Head head, @Nullable Exchange exchange) {
    OpType type = head.type();
    boolean last = exchange != null && type == exchange.operation().type().response();
    boolean ours = head.messageId() == 0 || head.messageId() == InFlight.OWN_ID;
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
      exchange.heard(now);
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

  void whenReady(Runnable action) {
    message.whenReady(action);
  }

  /** What it is an answer to; null for nothing that is known. */
  @Nullable Exchange exchange() {
    return exchange;
  }

  /** Whether it is the exchange's final response. */
  boolean last() {
    return last;
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.frontend;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.stoa.operation.Operation;
import io.stoa.origin.ClientStatus;
import io.stoa.origin.ClientTimeout;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Whether a client makes progress, looked at now and then. Event-loop confined.
 *
 * <p>No time is noted for a request: what has not changed from one look to the next did not move.
 */
final class ClientProgress {
  private final ClientConnection client;
  private final FrontendConfig config;
  private long lastWrite = System.nanoTime();
  private long pending;
  private long taken;
  private long lastRequest = System.nanoTime();
  private long requests;
  private long received;
  private long completed;
  private long number;
  private final Instant since = Instant.now();
  private long midFrameSince;
  private long midFrameAfter = -1;

  ClientProgress(ClientConnection client, FrontendConfig config) {
    this.client = client;
    this.config = config;
  }

  /** A request has been received. */
  void received() {
    received++;
  }

  /** An operation has been answered. */
  void answered(Operation operation) {
    completed++;
    client.listener().took(operation.type(), System.nanoTime() - operation.receivedNanos());
    client.listener().completed(operation.type());
  }

  /** An operation has ended without an answer. */
  void unanswered(Operation operation) {
    client.listener().unanswered();
    answered(operation);
  }

  /** Tells how many octets came and went since it was last told. */
  void reportOctets() {
    client.listener().octetsSent(client.writer().takeOctets());
    client.listener().octetsReceived(client.frames().takeOctets());
  }

  /** It is the client of that number. */
  void number(long given) {
    number = given;
  }

  boolean isNumber(long other) {
    return number == other;
  }

  /** The client as it is now. */
  ClientStatus status() {
    long now = System.nanoTime();
    idle(now);
    byte[] dn = client.identity().dn();
    return new ClientStatus(
        number,
        client.peer(),
        client.clientTls().listener(),
        dn == null ? "" : new String(dn, StandardCharsets.UTF_8),
        since,
        Instant.now().minusNanos(now - lastRequest),
        received,
        completed,
        client.operations().size(),
        client.readWaiting(),
        client.room().congested());
  }

  /** For which lack of progress the client is to be disconnected; null for none. */
  @Nullable ClientTimeout check(long now) {
    if (writeStalled(now)) {
      return ClientTimeout.WRITE;
    }
    if (requestStalled(now)) {
      return ClientTimeout.REQUEST;
    }
    if (client.sasl().negotiation().overdue(now, config.limits().negotiationTimeout().toNanos())) {
      return ClientTimeout.NEGOTIATION;
    }
    return idle(now) ? ClientTimeout.IDLE : null;
  }

  private boolean writeStalled(long now) {
    Channel channel = client.channel();
    ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
    long waiting = buffer == null ? 0 : buffer.totalPendingWriteBytes();
    long progress = buffer == null ? 0 : buffer.currentProgress();
    if (waiting == 0 || waiting != pending || progress != taken) {
      lastWrite = now;
      pending = waiting;
      taken = progress;
    }
    return now - lastWrite > config.limits().writeTimeout().toNanos();
  }

  /** A request that has begun and is not complete, while no other has become so. */
  private boolean requestStalled(long now) {
    boolean reading = client.channel().config().isAutoRead();
    if (!reading || !client.frames().isMidFrame() || received != midFrameAfter) {
      midFrameSince = now;
      midFrameAfter = received;
      return false;
    }
    return now - midFrameSince > config.limits().requestTimeout().toNanos();
  }

  private boolean idle(long now) {
    if (received != requests || client.operations().size() > 0) {
      requests = received;
      lastRequest = now;
    }
    return !config.limits().idleTimeout().isZero()
        && now - lastRequest > config.limits().idleTimeout().toNanos();
  }
}

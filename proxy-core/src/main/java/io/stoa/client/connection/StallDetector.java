// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.netty.channel.ChannelOutboundBuffer;
import io.stoa.net.peer.LocalUser;
import io.stoa.operation.Hold;
import io.stoa.operation.Operation;
import io.stoa.operation.event.ClientStatus;
import io.stoa.operation.event.ClientTimeout;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Whether a client makes progress, looked at now and then. Event-loop confined.
 *
 * <p>No time is noted for a request: what has not changed from one look to the next did not move.
 */
final class StallDetector {
  /** Looks without progress that show that a client takes nothing. */
  private static final int LOOKS = 2;

  /** Time between two looks at a client that holds up a server. */
  private static final long LOOK_MILLIS = 250;

  /** Looks that follow each other faster count as one. */
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS / 2);

  private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final ClientConnection client;
  private final FrontendConfig config;
  private long lastWrite = System.nanoTime();
  private long pending;
  private long taken;
  private int idleLooks;
  private long lookedAt = lastWrite;
  private boolean watched;
  private long lastRequest = System.nanoTime();
  private long requests;
  private long received;
  private long completed;
  private long number;
  private final Instant since = Instant.now();
  private long midFrameSince;
  private long midFrameAfter = -1;

  StallDetector(ClientConnection client, FrontendConfig config) {
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

  /** Returns the number of requests that have been received. */
  long requests() {
    return received;
  }

  /** True if the client has not bound, has asked nothing lately and waits for nothing. */
  boolean mayGiveWay() {
    LocalUser user = client.peer().user();
    return client.state() == ClientState.READY
        && client.identity().anonymous()
        && client.operations().size() == 0
        && received == requests
        && !client.sasl().negotiation().active()
        && (user == null || !user.isOperator());
  }

  /** True if the client has asked nothing at all for longer than a first request should take. */
  boolean silent(long now) {
    return received == 0 && now - lastRequest > SILENT_NANOS;
  }

  /** Returns the System.nanoTime() at which the client was last seen doing something. */
  long idleSince() {
    return lastRequest;
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

  /**
   * Octets that were written meanwhile are no progress. A machine that stands still makes one look
   * late, so a second one is needed.
   */
  private boolean writeStalled(long now) {
    ChannelOutboundBuffer buffer = client.channel().unsafe().outboundBuffer();
    long waiting = buffer == null ? 0 : buffer.totalPendingWriteBytes();
    long progress = buffer == null ? 0 : buffer.currentProgress();
    if (now - lookedAt > LOOK_NANOS) {
      idleLooks++;
      lookedAt = now;
    }
    if (waiting == 0 || waiting < pending || progress != taken) {
      lastWrite = now;
      idleLooks = 0;
    }
    pending = waiting;
    taken = progress;
    long longest = config.limits().writeTimeout().toNanos();
    return now - lastWrite > longest || client.room().overdue(now, stalled(now), longest);
  }

  /**
   * Time for which the client has taken nothing, in nanoseconds; 0 until a second look shows it.
   */
  private long stalled(long now) {
    return idleLooks < LOOKS ? 0 : now - lastWrite;
  }

  /** True if the client has taken nothing for too long to hold up a server. */
  boolean mayNotHold(Hold hold) {
    long now = System.nanoTime();
    return client.room().mayNotHold(hold, stalled(now), now);
  }

  /** Looks more often at the client as long as it holds up a server. */
  void watchHold() {
    if (!watched && client.open() && client.room().holds()) {
      watched = true;
      client.executor().schedule(this::lookAgain, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void lookAgain() {
    watched = false;
    if (client.open() && writeStalled(System.nanoTime())) {
      client.timedOut(ClientTimeout.WRITE);
    } else {
      watchHold();
    }
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

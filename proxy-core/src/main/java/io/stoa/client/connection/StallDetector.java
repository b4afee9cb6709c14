// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.connection;

import io.netty.channel.ChannelOutboundBuffer;
import io.stoa.net.peer.LocalUser;
import io.stoa.operation.Hold;
import io.stoa.operation.Operation;
import io.stoa.operation.event.ClientEvent;
import io.stoa.operation.event.ClientStatus;
import io.stoa.operation.event.ClientTimeout;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Detects a client that makes no progress, by periodic checks of its connection. Counts its
 * requests and their ends.
 *
 * <p>A request only counts, without a clock. State that is equal at two checks has not progressed.
 *
 * <p>Threading: event loop.
 */
final class StallDetector {
  /** Checks without progress after which a client counts as stalled: 2. */
  private static final int STALLED_CHECKS = 2;

  /** Milliseconds between two checks of a client that holds up a server: 250. */
  private static final long CHECK_MILLIS = 250;

  /** Minimum nanoseconds between two checks that count separately. */
  private static final long MIN_CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(CHECK_MILLIS / 2);

  private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final ClientConnection client;
  private final FrontendConfig config;
  private long lastWrite = System.nanoTime();
  private long pending;
  private long taken;
  private int idleChecks;
  private long checkedAt = lastWrite;
  private boolean watched;
  private long lastRequest = System.nanoTime();
  private long requests;
  private long received;
  private long completed;
  private long refused;
  private long number;
  private final Instant since = Instant.now();
  private long midFrameSince;
  private long midFrameAfter = -1;

  StallDetector(ClientConnection client, FrontendConfig config) {
    this.client = client;
    this.config = config;
  }

  /** Called when a request has been received. */
  void onRequest() {
    received++;
  }

  /** Called when an operation has been answered. */
  void onAnswered(Operation operation) {
    if (operation.isLongLived()) {
      addUnanswered(operation);
    }
    onEnded(operation);
  }

  private void addUnanswered(Operation operation) {
    long nanos = System.nanoTime() - operation.receivedNanos();
    client.counters().unansweredNanos().add(operation.type(), nanos);
  }

  private void onEnded(Operation operation) {
    completed++;
    client.counters().completed().increment(operation.type());
  }

  /** Called when an operation has ended without a response. */
  void onUnanswered(Operation operation) {
    client.counters().events().increment(ClientEvent.UNANSWERED);
    client.counters().results().countUnanswered(operation.type());
    addUnanswered(operation);
    onEnded(operation);
  }

  /** Reports the octets received and sent since the last report. */
  void reportOctets() {
    client.counters().events().add(ClientEvent.OCTET_SENT, client.writer().takeOctets());
    client.counters().events().add(ClientEvent.OCTET_RECEIVED, client.frames().takeOctets());
  }

  /** Returns the number of requests received. */
  long requests() {
    return received;
  }

  /**
   * True if the client may be ended to make room: not bound, no recent request and nothing in
   * flight.
   */
  boolean mayGiveWay() {
    LocalUser user = client.peer().user();
    return client.state() == ClientState.READY
        && client.identity().isAnonymous()
        && client.operations().size() == 0
        && received == requests
        && !client.sasl().exchange().isActive()
        && (user == null || !user.isOperator());
  }

  /** True if the client has sent no request at all for more than a second after connecting. */
  boolean isSilent(long now) {
    return received == 0 && now - lastRequest > SILENT_NANOS;
  }

  /** Returns the System.nanoTime() of the client's last known activity. */
  long idleSince() {
    return lastRequest;
  }

  /** Sets the client's number. */
  void setNumber(long newNumber) {
    number = newNumber;
  }

  /** Returns the client's number. */
  long number() {
    return number;
  }

  boolean isNumber(long other) {
    return number == other;
  }

  /** Counts an operation that Stoa itself refuses. */
  void onRefused() {
    refused++;
  }

  /** Returns the client's current status. */
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
        refused,
        client.operations().size(),
        client.hasWaitingRequests(),
        client.outbound().isCongested());
  }

  /** Returns the time-out for which to disconnect the client; null if there is none. */
  @Nullable ClientTimeout check(long now) {
    if (writeStalled(now)) {
      return ClientTimeout.WRITE;
    }
    if (requestStalled(now)) {
      return ClientTimeout.REQUEST;
    }
    if (client.sasl().exchange().isOverdue(now, config.limits().negotiationTimeout().toNanos())) {
      return ClientTimeout.NEGOTIATION;
    }
    return idle(now) ? ClientTimeout.IDLE : null;
  }

  /**
   * True if the client does not take its responses in time. New writes are not progress. A paused
   * machine makes one check late, so a second one is needed.
   */
  private boolean writeStalled(long now) {
    ChannelOutboundBuffer buffer = client.channel().unsafe().outboundBuffer();
    long waiting = buffer == null ? 0 : buffer.totalPendingWriteBytes();
    long progress = buffer == null ? 0 : buffer.currentProgress();
    if (now - checkedAt > MIN_CHECK_NANOS) {
      idleChecks++;
      checkedAt = now;
    }
    if (waiting == 0 || waiting < pending || progress != taken) {
      lastWrite = now;
      idleChecks = 0;
    }
    pending = waiting;
    taken = progress;
    long longest = config.limits().writeTimeout().toNanos();
    return now - lastWrite > longest || client.outbound().isOverdue(now, stalled(now), longest);
  }

  /**
   * Returns the nanoseconds for which the client has taken nothing; 0 until a second check confirms
   * it.
   */
  private long stalled(long now) {
    return idleChecks < STALLED_CHECKS ? 0 : now - lastWrite;
  }

  /** True if the client has taken nothing for too long to hold up a server. */
  boolean mayNotHold(Hold hold) {
    long now = System.nanoTime();
    return client.outbound().mayNotHold(hold, stalled(now), now);
  }

  /** Checks the client more often while it holds up a server. */
  void watchHold() {
    if (!watched && client.isOpen() && client.outbound().isHolding()) {
      watched = true;
      client.executor().schedule(this::checkHold, CHECK_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private void checkHold() {
    watched = false;
    if (client.isOpen() && writeStalled(System.nanoTime())) {
      client.onTimeout(ClientTimeout.WRITE);
    } else {
      watchHold();
    }
  }

  /** True if a request has been incomplete for too long, while no other was completed. */
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

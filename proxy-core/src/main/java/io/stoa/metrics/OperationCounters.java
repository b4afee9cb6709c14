// SPDX-License-Identifier: Apache-2.0
package io.stoa.metrics;

import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.ProtocolError;
import io.stoa.net.peer.ClientTlsFailure;
import io.stoa.net.peer.TlsStart;
import io.stoa.operation.OperationListener;
import io.stoa.operation.Rejection;
import io.stoa.operation.event.BindKind;
import io.stoa.operation.event.ClientTimeout;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts events of clients and their operations since the start. Several of its methods run for
 * every cache hit, so each only adds to a striped counter.
 *
 * <p>Threading: thread-safe.
 */
public final class OperationCounters implements OperationListener {
  private static final int ONE_LEVEL = 1;
  private static final int SUBTREE = 2;

  private final LongAdder connectionsOpened = new LongAdder();
  private final LongAdder connectionsRefused = new LongAdder();
  private final LongAdder evicted = new LongAdder();
  private final LongAdder connectionsShed = new LongAdder();
  private final LongAdder passedThrough = new LongAdder();
  private final EnumCounters<TlsStart> tlsEstablished = new EnumCounters<>(TlsStart.class);
  private final EnumCounters<ClientTlsFailure> tlsFailed =
      new EnumCounters<>(ClientTlsFailure.class);
  private final LongAdder throttled = new LongAdder();
  private final EnumCounters<OpType> received = new EnumCounters<>(OpType.class);
  private final EnumCounters<OpType> completed = new EnumCounters<>(OpType.class);
  private final EnumCounters<OpType> nanos = new EnumCounters<>(OpType.class);
  private final LongAdder unanswered = new LongAdder();
  private final Failures failures = new Failures();
  private final EnumCounters<BindKind> bindsRequested = new EnumCounters<>(BindKind.class);
  private final LongAdder oneLevelSearches = new LongAdder();
  private final LongAdder subtreeSearches = new LongAdder();
  private final LongAdder otherSent = new LongAdder();
  private final LongAdder octetsReceived = new LongAdder();
  private final LongAdder entriesSent = new LongAdder();
  private final LongAdder referencesSent = new LongAdder();
  private final LongAdder octetsSent = new LongAdder();
  private final EnumCounters<Rejection> rejections = new EnumCounters<>(Rejection.class);
  private final EnumCounters<Rejection> rejectedBinds = new EnumCounters<>(Rejection.class);
  private final EnumCounters<ProtocolError> protocolErrors =
      new EnumCounters<>(ProtocolError.class);
  private final EnumCounters<ClientTimeout> timeouts = new EnumCounters<>(ClientTimeout.class);
  private final LongAdder saslBinds = new LongAdder();
  private final LongAdder tunnels = new LongAdder();
  private final LongAdder ownSearches = new LongAdder();
  private final LongAdder malformedSearches = new LongAdder();

  @Override
  public void connectionOpened() {
    connectionsOpened.increment();
  }

  @Override
  public void connectionRefused() {
    connectionsRefused.increment();
  }

  @Override
  public void idleClientDisconnected() {
    evicted.increment();
  }

  @Override
  public void requestGivenUp() {
    connectionsShed.increment();
  }

  @Override
  public void passedThrough() {
    passedThrough.increment();
  }

  @Override
  public void tlsEstablished(TlsStart start) {
    tlsEstablished.increment(start);
  }

  @Override
  public void tlsFailed(ClientTlsFailure reason) {
    tlsFailed.increment(reason);
  }

  @Override
  public void received(OpType type) {
    received.increment(type);
  }

  @Override
  public void completed(OpType type) {
    completed.increment(type);
  }

  @Override
  public void measured(OpType type, long time) {
    nanos.add(type, time);
  }

  @Override
  public void unanswered() {
    unanswered.increment();
  }

  @Override
  public void failed(OpType type, int resultCode) {
    failures.count(type, resultCode);
  }

  @Override
  public void bindRequested(BindKind kind) {
    bindsRequested.increment(kind);
  }

  @Override
  public void searchReceived(int scope) {
    if (scope == ONE_LEVEL) {
      oneLevelSearches.increment();
    } else if (scope == SUBTREE) {
      subtreeSearches.increment();
    }
  }

  @Override
  public void otherSent() {
    otherSent.increment();
  }

  @Override
  public void octetsReceived(long count) {
    octetsReceived.add(count);
  }

  @Override
  public void entriesSent(int count) {
    entriesSent.add(count);
  }

  @Override
  public void referencesSent(int count) {
    referencesSent.add(count);
  }

  @Override
  public void octetsSent(long count) {
    octetsSent.add(count);
  }

  @Override
  public void rejected(OpType type, Rejection reason) {
    rejections.increment(reason);
    if (type == OpType.BIND_REQUEST) {
      rejectedBinds.increment(reason);
    }
  }

  @Override
  public void protocolError(ProtocolError error) {
    protocolErrors.increment(error);
  }

  @Override
  public void throttled() {
    throttled.increment();
  }

  @Override
  public void timedOut(ClientTimeout timeout) {
    timeouts.increment(timeout);
  }

  @Override
  public void saslBound() {
    saslBinds.increment();
  }

  @Override
  public void tunnelled() {
    tunnels.increment();
  }

  /** Called when Stoa answers a search of its own tree, which no cache sees. */
  public void ownSearch() {
    ownSearches.increment();
  }

  /** Called when a search is malformed, so that no cache sees it. */
  public void malformedSearch() {
    malformedSearches.increment();
  }

  /** Number of client connections accepted. */
  public long connectionsOpened() {
    return connectionsOpened.sum();
  }

  /** Number of connections passed through to a server unread. */
  public long connectionsPassedThrough() {
    return passedThrough.sum();
  }

  /** Number of successful TLS handshakes of clients. */
  public long handshakes(TlsStart start) {
    return tlsEstablished.get(start);
  }

  /** Number of failed TLS handshakes of clients. */
  public long tlsFailures(ClientTlsFailure reason) {
    return tlsFailed.get(reason);
  }

  /** Number of times Stoa stopped reading from a client with too many operations in flight. */
  public long timesThrottled() {
    return throttled.sum();
  }

  /** Number of successful SASL binds of clients. */
  public long saslBinds() {
    return saslBinds.sum();
  }

  /** Number of connections that became tunnels. */
  public long tunnels() {
    return tunnels.sum();
  }

  /** Number of connections refused because the maximum of open connections was reached. */
  public long connectionsRefused() {
    return connectionsRefused.sum();
  }

  /** Number of idle, unbound clients that were disconnected to make room for others. */
  public long connectionsEvicted() {
    return evicted.sum();
  }

  /** Number of clients disconnected because requests without an answer took too much memory. */
  public long connectionsShed() {
    return connectionsShed.sum();
  }

  /** Number of requests of one kind received. */
  public long received(OperationKind kind) {
    return received.get(kind.request());
  }

  /** Number of operations of one kind that have ended. */
  public long completed(OperationKind kind) {
    return completed.get(kind.request());
  }

  /** Total duration of the ended operations of one kind, in nanoseconds. */
  public long nanos(OperationKind kind) {
    return nanos.get(kind.request());
  }

  /** Number of messages sent to clients. Messages that are being sent may be missing. */
  public long messagesSent() {
    long answered = -unanswered.sum();
    for (OperationKind kind : OperationKind.values()) {
      answered += kind.hasResponse() ? completed(kind) : 0;
    }
    return answered + entriesSent() + referencesSent() + otherSent.sum();
  }

  /** Counters of failed operations. */
  public Failures failures() {
    return failures;
  }

  /** Number of binds requested by one method. */
  public long bindsRequested(BindKind kind) {
    return bindsRequested.get(kind);
  }

  /** Number of one-level searches. */
  public long oneLevelSearches() {
    return oneLevelSearches.sum();
  }

  /** Number of subtree searches. */
  public long subtreeSearches() {
    return subtreeSearches.sum();
  }

  /** Octets of requests received. */
  public long octetsReceived() {
    return octetsReceived.sum();
  }

  /** Number of entries sent to clients. */
  public long entriesSent() {
    return entriesSent.sum();
  }

  /** Number of search result references sent to clients. */
  public long referencesSent() {
    return referencesSent.sum();
  }

  /** Octets written to clients. */
  public long octetsSent() {
    return octetsSent.sum();
  }

  /** Number of operations that Stoa itself rejected for one reason. */
  public long rejected(Rejection reason) {
    return rejections.get(reason);
  }

  /** Number of binds that Stoa itself rejected for one reason. */
  public long rejectedBinds(Rejection reason) {
    return rejectedBinds.get(reason);
  }

  /** Number of clients disconnected for one protocol error. */
  public long protocolErrors(ProtocolError error) {
    return protocolErrors.get(error);
  }

  /** Number of clients disconnected for one time-out. */
  public long timeouts(ClientTimeout timeout) {
    return timeouts.get(timeout);
  }

  /** Number of searches of Stoa's own tree. */
  public long ownSearches() {
    return ownSearches.sum();
  }

  /** Number of malformed searches. */
  public long malformedSearches() {
    return malformedSearches.sum();
  }
}

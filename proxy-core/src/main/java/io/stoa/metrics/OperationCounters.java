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
 * Counts what happens to clients and their operations since the start. Several of its methods run
 * for every cache hit, so each does no more than add to a striped counter. Thread-safe.
 */
public final class OperationCounters implements OperationListener {
  private static final int ONE_LEVEL = 1;
  private static final int SUBTREE = 2;

  private final LongAdder connectionsOpened = new LongAdder();
  private final LongAdder connectionsRefused = new LongAdder();
  private final LongAdder gaveWay = new LongAdder();
  private final LongAdder requestsGivenUp = new LongAdder();
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
  public void gaveWay() {
    gaveWay.increment();
  }

  @Override
  public void requestGivenUp() {
    requestsGivenUp.increment();
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
  public void took(OpType type, long time) {
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

  /** Stoa answers a search of its own tree, so that no cache sees it. */
  public void ownSearch() {
    ownSearches.increment();
  }

  /** A search was malformed, so that no cache sees it. */
  public void malformedSearch() {
    malformedSearches.increment();
  }

  /** Connections accepted. */
  public long connectionsOpened() {
    return connectionsOpened.sum();
  }

  /** Connections that were passed on as they are. */
  public long connectionsPassedThrough() {
    return passedThrough.sum();
  }

  /** Handshakes of clients that succeeded. */
  public long handshakes(TlsStart start) {
    return tlsEstablished.get(start);
  }

  /** Handshakes of clients that failed. */
  public long tlsFailures(ClientTlsFailure reason) {
    return tlsFailed.get(reason);
  }

  /** Times at which Stoa stopped reading from a client that had too much in flight. */
  public long timesThrottled() {
    return throttled.sum();
  }

  /** Clients' binds by SASL that succeeded. */
  public long saslBinds() {
    return saslBinds.sum();
  }

  /** Connections that became tunnels. */
  public long tunnels() {
    return tunnels.sum();
  }

  /** Connections refused because as many were open as may be. */
  public long connectionsRefused() {
    return connectionsRefused.sum();
  }

  /** Idle clients without a bind that were disconnected to make room for others. */
  public long connectionsGaveWay() {
    return gaveWay.sum();
  }

  /** Unfinished requests that were given up for the memory that all of them take. */
  public long requestsGivenUp() {
    return requestsGivenUp.sum();
  }

  /** Requests of one kind received. */
  public long received(OperationKind kind) {
    return received.get(kind.request());
  }

  /** Operations of one kind that have ended. */
  public long completed(OperationKind kind) {
    return completed.get(kind.request());
  }

  /** How long these took, all together, in nanoseconds. */
  public long nanos(OperationKind kind) {
    return nanos.get(kind.request());
  }

  /** Messages sent to clients; what is still under way may be missing. */
  public long messagesSent() {
    long answered = -unanswered.sum();
    for (OperationKind kind : OperationKind.values()) {
      answered += kind.answered() ? completed(kind) : 0;
    }
    return answered + entriesSent() + referencesSent() + otherSent.sum();
  }

  /** Operations that have failed. */
  public Failures failures() {
    return failures;
  }

  /** Binds asked for in one way. */
  public long bindsRequested(BindKind kind) {
    return bindsRequested.get(kind);
  }

  /** Searches of the entries right below their base. */
  public long oneLevelSearches() {
    return oneLevelSearches.sum();
  }

  /** Searches of their base and everything below. */
  public long subtreeSearches() {
    return subtreeSearches.sum();
  }

  /** Octets of requests. */
  public long octetsReceived() {
    return octetsReceived.sum();
  }

  /** Entries sent to clients. */
  public long entriesSent() {
    return entriesSent.sum();
  }

  /** References sent to clients. */
  public long referencesSent() {
    return referencesSent.sum();
  }

  /** Octets written for clients. */
  public long octetsSent() {
    return octetsSent.sum();
  }

  /** Operations that Stoa itself refused for one reason. */
  public long rejected(Rejection reason) {
    return rejections.get(reason);
  }

  /** The binds among them. */
  public long rejectedBinds(Rejection reason) {
    return rejectedBinds.get(reason);
  }

  /** Clients disconnected for one breach of the protocol. */
  public long protocolErrors(ProtocolError error) {
    return protocolErrors.get(error);
  }

  /** Clients disconnected for one lack of progress. */
  public long timeouts(ClientTimeout timeout) {
    return timeouts.get(timeout);
  }

  /** Searches of Stoa's own tree. */
  public long ownSearches() {
    return ownSearches.sum();
  }

  /** Searches that were malformed. */
  public long malformedSearches() {
    return malformedSearches.sum();
  }
}

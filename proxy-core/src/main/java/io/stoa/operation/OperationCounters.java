// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.stoa.ldap.protocol.LdapResultCode;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.ProtocolError;
import io.stoa.net.peer.ClientTlsFailure;
import io.stoa.net.peer.TlsStart;
import io.stoa.operation.digest.ShortConnections;
import io.stoa.operation.event.BindKind;
import io.stoa.operation.event.ClientEvent;
import io.stoa.operation.event.ClientTimeout;
import io.stoa.operation.event.LogKind;
import io.stoa.operation.event.QuotaLimit;
import java.util.Set;

/**
 * Counts events of clients and their operations since the start.
 *
 * <p>Threading: thread-safe.
 *
 * @param events events without a property
 * @param handshakes successful TLS handshakes of clients
 * @param tlsFailures failures of clients to establish TLS, or to use it where they must
 * @param received requests received
 * @param completed operations that have ended: answered, abandoned, or of a kind without a response
 * @param results results of operations by result code
 * @param latencies durations of answered operations
 * @param unansweredNanos total duration in ns of the operations that are not among the latencies
 * @param binds requested binds
 * @param rejections operations that Stoa itself rejected
 * @param rejectedBinds binds that Stoa itself rejected
 * @param protocolErrors clients disconnected for breaking the protocol
 * @param timeouts clients disconnected for lack of progress
 * @param logged events whose lines were written to the access log or the audit log
 * @param logDrops events that were dropped, since their log was too slow or failed
 * @param limits refusals and delays at limits of networks and identities
 * @param failedBinds failed binds by client network and result
 * @param connections ended connections by their requests
 */
public record OperationCounters(
    EnumCounters<ClientEvent> events,
    EnumCounters<TlsStart> handshakes,
    EnumCounters<ClientTlsFailure> tlsFailures,
    EnumCounters<OpType> received,
    EnumCounters<OpType> completed,
    ResultCounters results,
    LatencyHistograms latencies,
    EnumCounters<OpType> unansweredNanos,
    EnumCounters<BindKind> binds,
    EnumCounters<Rejection> rejections,
    EnumCounters<Rejection> rejectedBinds,
    EnumCounters<ProtocolError> protocolErrors,
    EnumCounters<ClientTimeout> timeouts,
    EnumCounters<LogKind> logged,
    EnumCounters<LogKind> logDrops,
    EnumCounters<QuotaLimit> limits,
    FailedBindCounters failedBinds,
    ShortConnections connections) {
  private static final int ONE_LEVEL = 1;
  private static final int SUBTREE = 2;

  /**
   * Result codes of failed authentication or missing rights: authMethodNotSupported,
   * strongerAuthRequired, inappropriateAuthentication, invalidCredentials, insufficientAccessRights
   * (RFC 4511, section 4.1.9).
   */
  private static final Set<Integer> SECURITY = Set.of(7, 8, 48, 49, 50);

  /**
   * Result codes other than success that are no failures: compareFalse, compareTrue, referral,
   * saslBindInProgress.
   */
  private static final Set<Integer> NO_FAILURES = Set.of(0, 5, 6, 10, 14);

  private static final int REFERRAL = 10;

  /** Creates counters that are zero. */
  public OperationCounters() {
    this(
        new EnumCounters<>(ClientEvent.class),
        new EnumCounters<>(TlsStart.class),
        new EnumCounters<>(ClientTlsFailure.class),
        new EnumCounters<>(OpType.class),
        new EnumCounters<>(OpType.class),
        new ResultCounters(),
        new LatencyHistograms(),
        new EnumCounters<>(OpType.class),
        new EnumCounters<>(BindKind.class),
        new EnumCounters<>(Rejection.class),
        new EnumCounters<>(Rejection.class),
        new EnumCounters<>(ProtocolError.class),
        new EnumCounters<>(ClientTimeout.class),
        new EnumCounters<>(LogKind.class),
        new EnumCounters<>(LogKind.class),
        new EnumCounters<>(QuotaLimit.class),
        new FailedBindCounters(),
        new ShortConnections());
  }

  /** Counts an operation that has ended with a result code other than success. */
  public void countFailure(OpType type, int resultCode) {
    results.countFailure(type, resultCode);
    if (resultCode == REFERRAL) {
      events.increment(ClientEvent.REFERRAL);
    }
    if (NO_FAILURES.contains(resultCode)) {
      return;
    }
    events.increment(ClientEvent.FAILURE);
    if (SECURITY.contains(resultCode)) {
      events.increment(ClientEvent.SECURITY_FAILURE);
      if (type == OpType.BIND_REQUEST) {
        events.increment(ClientEvent.SECURITY_FAILURE_OF_BIND);
      }
    }
  }

  /** Counts a search by its scope. */
  public void countSearch(int scope) {
    if (scope == ONE_LEVEL) {
      events.increment(ClientEvent.ONE_LEVEL_SEARCH);
    } else if (scope == SUBTREE) {
      events.increment(ClientEvent.SUBTREE_SEARCH);
    }
  }

  /** Counts an operation that Stoa itself has rejected. */
  public void countRejection(OpType type, Rejection reason) {
    rejections.increment(reason);
    if (type == OpType.BIND_REQUEST) {
      rejectedBinds.increment(reason);
    }
  }

  /** Returns the total duration in ns of the operations of this type that have ended. */
  public long nanos(OpType type) {
    return latencies.sum(type) + unansweredNanos.get(type);
  }

  /** Returns the number of results of this type with this code. */
  public long resultsSent(OpType type, LdapResultCode code) {
    return code == LdapResultCode.SUCCESS
        ? results.successes(type, completed.get(type))
        : results.failures(type, code);
  }

  /**
   * Returns the number of messages sent to clients. Messages that are being sent may be missing.
   */
  public long messagesSent() {
    long sent = -events.get(ClientEvent.UNANSWERED);
    for (OpType type : OpType.values()) {
      sent += completed.get(type);
    }
    sent -= completed.get(OpType.UNBIND_REQUEST) + completed.get(OpType.ABANDON_REQUEST);
    return sent
        + events.get(ClientEvent.ENTRY_SENT)
        + events.get(ClientEvent.REFERENCE_SENT)
        + events.get(ClientEvent.OTHER_SENT);
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.Response;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.Operation;
import io.stoa.operation.ReadSource;
import io.stoa.operation.Rejection;
import io.stoa.replication.UnreplicatedWrite;
import io.stoa.upstream.server.Backend;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Records which server has taken a write, before its answer is passed on. If the answer is a
 * referral, and it is to be followed, the write is sent there first.
 *
 * <p>Threading: event loop.
 */
final class WriteSink extends ForwardingSink {
  private final Operation operation;
  private final Request request;
  private final ReadEligibility eligibility;
  private final @Nullable ReferralChaser chaser;
  private final @Nullable UnreplicatedWrite change;
  private final Backend target;
  private @Nullable Backend referred;

  /** Number of times it was sent before the referral: the referring server has not performed it. */
  private int sendingsBeforeReferral;

  /**
   * Wraps the sink of the operation.
   *
   * @param target server to which the write is to be sent
   * @param chaser follows referrals; null if they are passed to the client
   */
  WriteSink(
      Operation operation,
      Request request,
      ReadEligibility eligibility,
      Backend target,
      @Nullable ReferralChaser chaser) {
    super(operation.sink());
    this.operation = operation;
    this.request = request;
    this.eligibility = eligibility;
    this.target = target;
    this.chaser = chaser;
    this.change = eligibility.beginWrite(operation, request, target);
  }

  /** Ends the write. */
  private void endWrite(boolean outcomeKnown) {
    eligibility.endWrite(request, change, server(), outcomeKnown);
  }

  /** Returns the server to which it was sent last. */
  private Backend server() {
    Backend further = referred;
    List<ReadSource> sent = operation.sources();
    if (further != null || sent.isEmpty()) {
      return further == null ? target : further;
    }
    return sent.get(sent.size() - 1).server() instanceof Backend last ? last : target;
  }

  @Override
  public void complete(Response response) {
    ReferralChaser following = chaser;
    Backend further =
        following != null
                && response instanceof LdapMessage message
                && !operation.hasEnded()
                && ReferralChaser.isReferral(message)
            ? follow(following, message)
            : null;
    if (further == null) {
      endWrite(true);
      next.complete(response);
    } else {
      referred = further;
      response.release();
    }
  }

  private @Nullable Backend follow(ReferralChaser referral, LdapMessage response) {
    eligibility.markElsewhere(change);
    sendingsBeforeReferral = operation.sendings();
    return referral.follow(operation, request, response, new ReferredSink());
  }

  @Override
  public void reject(Rejection reason) {
    if (sent()) {
      endWrite(false);
    } else {
      eligibility.cancelWrite(change);
    }
    next.reject(reason);
  }

  /** Ends a write that was not sent. A sent one still has a result. */
  @Override
  public void onAbandoned() {
    if (!sent()) {
      eligibility.cancelWrite(change);
    }
    next.onAbandoned();
  }

  private boolean sent() {
    return operation.sendings() > sendingsBeforeReferral;
  }

  /** Receives the answer of the server in the referral. A second referral is not followed. */
  private final class ReferredSink extends ForwardingSink {
    ReferredSink() {
      super(WriteSink.this.next);
    }

    @Override
    public void complete(Response response) {
      endWrite(true);
      next.complete(response);
    }

    @Override
    public void reject(Rejection reason) {
      WriteSink.this.reject(reason);
    }

    @Override
    public void onAbandoned() {
      // The other sinks are notified by the abandoned operation.
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.Request;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.LargeMessage;
import io.stoa.operation.Operation;
import io.stoa.operation.ReadFrom;
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
  private final ReadEligibility freshness;
  private final @Nullable ReferralChaser following;
  private final @Nullable UnreplicatedWrite change;
  private final Backend meant;
  private @Nullable Backend referred;

  /** Number of times it was sent before the referral: the referring server has not performed it. */
  private int before;

  /**
   * Wraps the sink of the operation.
   *
   * @param server server to which the write is to be sent
   * @param following follows referrals; null if they are passed to the client
   */
  WriteSink(
      Operation operation,
      Request request,
      ReadEligibility freshness,
      Backend server,
      @Nullable ReferralChaser following) {
    super(operation.sink());
    this.operation = operation;
    this.request = request;
    this.freshness = freshness;
    this.meant = server;
    this.following = following;
    this.change = freshness.begin(operation, request, server);
  }

  /** Ends the write. */
  private void written(boolean known) {
    freshness.written(request, change, server(), known);
  }

  /** Returns the server to which it was sent last. */
  private Backend server() {
    Backend further = referred;
    List<ReadFrom> sent = operation.sources();
    if (further != null || sent.isEmpty()) {
      return further == null ? meant : further;
    }
    return sent.get(sent.size() - 1).server() instanceof Backend last ? last : meant;
  }

  @Override
  public void complete(LdapMessage response) {
    Backend further =
        following == null || operation.ended() || !ReferralChaser.refers(response)
            ? null
            : follow(following, response);
    if (further == null) {
      written(true);
      next.complete(response);
    } else {
      referred = further;
      response.release();
    }
  }

  private @Nullable Backend follow(ReferralChaser referral, LdapMessage response) {
    freshness.goesOn(change);
    before = operation.sendings();
    return referral.follow(operation, request, response, new Further());
  }

  @Override
  public void complete(LargeMessage response) {
    written(true);
    next.complete(response);
  }

  @Override
  public void reject(Rejection reason) {
    if (sent()) {
      written(false);
    } else {
      freshness.notWritten(change);
    }
    next.reject(reason);
  }

  /** Ends a write that was not sent. A sent one still has a result. */
  @Override
  public void abandoned() {
    if (!sent()) {
      freshness.notWritten(change);
    }
    next.abandoned();
  }

  private boolean sent() {
    return operation.sendings() > before;
  }

  /** Receives the answer of the server in the referral. A second referral is not followed. */
  private final class Further extends ForwardingSink {
    Further() {
      super(WriteSink.this.next);
    }

    @Override
    public void complete(LdapMessage response) {
      written(true);
      next.complete(response);
    }

    @Override
    public void complete(LargeMessage response) {
      WriteSink.this.complete(response);
    }

    @Override
    public void reject(Rejection reason) {
      WriteSink.this.reject(reason);
    }

    @Override
    public void abandoned() {
      // The other sinks are notified by the abandoned operation.
    }
  }
}

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
 * Notes which server has taken a write before the answer is passed on. If that is a referral which
 * is to be followed, the write goes on first. Event-loop confined.
 */
final class WriteSink extends ForwardingSink {
  private final Operation operation;
  private final Request request;
  private final ReadEligibility freshness;
  private final @Nullable ReferralChaser following;
  private final @Nullable UnreplicatedWrite change;
  private final Backend meant;
  private @Nullable Backend referred;

  /** How often it was sent before it was referred: who refers has not done it. */
  private int before;

  /**
   * Wraps the operation's sink.
   *
   * @param server to which the write is to be sent
   * @param following what follows referrals; null if they are passed on
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

  /** The write is over. */
  private void written(boolean known) {
    freshness.written(request, change, server(), known);
  }

  /** To which it was sent in the end. */
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

  /** What was sent has a result all the same. */
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

  /** Takes the answer of the server to which the referral led, which is final. */
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
      // who has abandoned it tells the other sinks
    }
  }
}

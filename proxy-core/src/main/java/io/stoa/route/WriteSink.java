// SPDX-License-Identifier: Apache-2.0
package io.stoa.route;

import io.stoa.backend.Backend;
import io.stoa.ldap.LdapMessage;
import io.stoa.ldap.Request;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.LargeMessage;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import org.jspecify.annotations.Nullable;

/**
 * Notes which server has taken a write before the answer is passed on. If that is a referral which
 * is to be followed, the write goes on first. Event-loop confined.
 */
final class WriteSink extends ForwardingSink {
  private final Operation operation;
  private final Request request;
  private final WriteCoherence coherence;
  private final @Nullable Following following;
  private Backend server;

  /**
   * Wraps the operation's sink.
   *
   * @param server to which the write is sent
   * @param following what follows referrals; null if they are passed on
   */
  WriteSink(
      Operation operation,
      Request request,
      WriteCoherence coherence,
      Backend server,
      @Nullable Following following) {
    super(operation.sink());
    this.operation = operation;
    this.request = request;
    this.coherence = coherence;
    this.server = server;
    this.following = following;
  }

  /** The write is about to be sent to the server. */
  void sentTo(Backend backend) {
    server = backend;
  }

  @Override
  public void complete(LdapMessage response) {
    Backend further =
        following == null || operation.ended()
            ? null
            : following.follow(operation, request, response, new Further());
    if (further == null) {
      coherence.written(request, server);
      next.complete(response);
    } else {
      server = further;
      response.release();
    }
  }

  @Override
  public void complete(LargeMessage response) {
    coherence.written(request, server);
    next.complete(response);
  }

  @Override
  public void reject(Rejection reason) {
    coherence.written(request, server);
    next.reject(reason);
  }

  /** Takes the answer of the server to which the referral led, which is final. */
  private final class Further extends ForwardingSink {
    Further() {
      super(WriteSink.this.next);
    }

    @Override
    public void complete(LdapMessage response) {
      coherence.written(request, server);
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
  }
}

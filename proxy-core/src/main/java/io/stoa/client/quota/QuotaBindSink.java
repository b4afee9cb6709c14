// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.quota;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.Response;
import io.stoa.operation.ClientSession;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.LargeMessage;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.operation.event.QuotaLimit;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Counts a failed bind, and delays its answer if its network or its name has failed too often. The
 * delay keeps its place after the client has left: a client does not shorten it by reconnecting.
 *
 * <p>Threading: event loop.
 */
final class QuotaBindSink extends ForwardingSink {
  private static final int SUCCESS = 0;

  /** Result of a SASL bind that continues: saslBindInProgress. */
  private static final int IN_PROGRESS = 14;

  /** Results of wrong credentials: noSuchObject and invalidCredentials. */
  private static final Set<Integer> FAILURES = Set.of(32, 49);

  private final ClientQuotas quotas;
  private final Operation operation;
  private final ClientSession session;
  private final @Nullable Usage network;
  private final @Nullable Usage name;
  private boolean ended;

  QuotaBindSink(
      ClientQuotas quotas, Operation operation, @Nullable Usage network, @Nullable Usage name) {
    super(operation.sink());
    this.quotas = quotas;
    this.operation = operation;
    this.session = operation.session();
    this.network = network;
    this.name = name;
  }

  @Override
  public void complete(Response response) {
    int code = response instanceof LargeMessage ? -1 : LdapResult.quickCodeOf(response);
    if (code == SUCCESS) {
      onSuccess(response);
      return;
    }
    if (code > SUCCESS && code != IN_PROGRESS) {
      quotas.onFailed(session, code);
    }
    long delay = FAILURES.contains(code) ? delayOfFailure() : 0;
    if (delay == 0) {
      end();
      next.complete(response);
    } else if (quotas.beginDelay()) {
      delay(response, delay);
    } else {
      response.release();
      end();
      session.disconnect(Rejection.NETWORK_LIMIT);
    }
  }

  private void onSuccess(Response response) {
    if (name != null && !session.identity().isAnonymous()) {
      name.forgetFailures(System.nanoTime()); // a bind without a password proves nothing
    }
    end();
    quotas.onBound(session);
    next.complete(response);
  }

  @Override
  public void reject(Rejection reason) {
    quotas.onFailed(session, reason.resultCode());
    long delay = FAILURES.contains(reason.resultCode()) ? delayOfFailure() : 0;
    if (delay > 0 && quotas.beginDelay()) {
      schedule(delay, () -> next.reject(reason));
      return;
    }
    end();
    next.reject(reason);
  }

  @Override
  public void onAbandoned() {
    end();
    next.onAbandoned();
  }

  private void delay(Response response, long delay) {
    Response kept = response instanceof LdapMessage message ? onHeap(message) : response;
    schedule(delay, () -> next.complete(kept));
  }

  /** Returns a copy without a buffer, since an event loop that ends drops its scheduled tasks. */
  private static LdapMessage onHeap(LdapMessage message) {
    LdapMessage copy = LdapMessage.ofBody(message.messageId(), message.copyBody());
    message.release();
    return copy;
  }

  private void schedule(long delay, Runnable answer) {
    boolean counted = !ended;
    ended = true; // the place is kept until the end of the delay, also if the client leaves
    operation.setCancellation(null);
    session
        .executor()
        .schedule(
            () -> {
              quotas.endDelay();
              if (counted) {
                release();
              }
              answer.run();
            },
            delay,
            TimeUnit.NANOSECONDS);
  }

  private long delayOfFailure() {
    long now = System.nanoTime();
    long ofNetwork = network == null ? 0 : network.delayOfFailure(quotas.config().network(), now);
    long ofName = name == null ? 0 : name.delayOfFailure(quotas.config().identity(), now);
    if (ofNetwork > 0 && network != null) {
      quotas.countRefusal(QuotaLimit.NETWORK_FAILED_BINDS, network.name());
    }
    if (ofName > 0 && name != null) {
      quotas.countRefusal(QuotaLimit.IDENTITY_FAILED_BINDS, name.name());
    }
    return Math.max(ofNetwork, ofName);
  }

  private void end() {
    if (!ended) {
      ended = true;
      release();
    }
  }

  private void release() {
    if (network != null) {
      network.endBind();
    }
    if (name != null) {
      name.endBind();
    }
  }
}

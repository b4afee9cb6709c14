// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.Request;
import io.stoa.operation.Cancellation;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.LargeMessage;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.Rejection;
import io.stoa.operation.ResponseSink;
import io.stoa.operation.Restriction;
import io.stoa.routing.ProxiedAuthorization.Way;
import io.stoa.upstream.balancing.ServerGroup;
import io.stoa.upstream.pool.UpstreamPools;
import io.stoa.upstream.server.Backend;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Follows the referrals with which read-only servers answer writes, once, and only to servers of
 * the configuration: the connection there is bound as the client, and nobody else may get what
 * binds it. Event-loop confined.
 */
final class ReferralChaser {
  private static final int REFERRAL = 10;

  private final ServerGroup branch;
  private final UpstreamPools pools;
  private final @Nullable ProxiedAuthorization proxying;

  /**
   * Makes it.
   *
   * @param proxying which writes go over connections of the service account; null if there are none
   */
  ReferralChaser(ServerGroup branch, UpstreamPools pools, @Nullable ProxiedAuthorization proxying) {
    this.branch = branch;
    this.pools = pools;
    this.proxying = proxying;
  }

  /**
   * Sends a write to the server to which its answer refers.
   *
   * @param sink takes the answer
   * @return the server; null, and nothing is done, if the answer is the client's to deal with
   */
  @Nullable Backend follow(
      Operation operation, Request request, LdapMessage response, ResponseSink sink) {
    if (!refers(response) || !mayLeave(operation, request)) {
      return null;
    }
    return LdapResult.referrals(response.copyOp()).stream()
        .map(Referral::parse)
        .filter(Objects::nonNull)
        .filter(referral -> referral.dn() == null || request.type() != OpType.EXTENDED_REQUEST)
        .map(referral -> send(operation, request, referral, sink))
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  /** The only server that may be sent a write, since a referral led there; null if none did. */
  static @Nullable Backend target(Operation operation) {
    return operation.sink() instanceof FurtherSink own ? own.server : null;
  }

  /** Whether an answer leads to another server. */
  static boolean refers(LdapMessage response) {
    return LdapResult.codeOf(response.body()) == REFERRAL;
  }

  /** What is bound to its connection stays there; and with ManageDsaIT, nothing is followed. */
  private static boolean mayLeave(Operation operation, Request request) {
    return operation.session().restriction() != Restriction.EXCLUSIVE
        && Restrictions.of(request) == Restriction.NONE
        && request.controls().stream().map(Control::oid).noneMatch(Oids.MANAGE_DSA_IT::equals);
  }

  private boolean served(Operation operation, Request request) {
    return proxying != null && proxying.of(operation, request, false) == Way.SERVICE;
  }

  private @Nullable Backend send(
      Operation operation, Request request, Referral referral, ResponseSink sink) {
    try {
      boolean service = served(operation, request);
      Backend server =
          find(
              referral,
              service ? TransportTrust.asService(operation) : TransportTrust.in(operation));
      if (server == null || !(service || operation.session().identity().bindsAgain())) {
        return null;
      }
      byte[] op = referral.apply(operation.message().copyOp());
      LdapMessage message = LdapMessage.of(operation.messageId(), op, request.controls());
      Operation further = operation.derived(message, own -> new FurtherSink(own, server, sink));
      further.request(); // what it is decides how its end is dealt with
      operation.cancellation(new NotAbandoned(further));
      if (service) {
        pools.sendAsService(further, server);
      } else {
        pools.send(further, server);
      }
      return server;
    } catch (LdapProtocolException e) {
      return null;
    }
  }

  /** The configured server that the referral names, if it is up and not the one that referred. */
  private @Nullable Backend find(Referral referral, Predicate<Backend> eligible) {
    return branch.backends().stream()
        .filter(eligible)
        .filter(backend -> backend != branch.primary() && backend.usable())
        .filter(backend -> referral.leadsTo(backend.address()))
        .findFirst()
        .orElse(null);
  }

  /** As with every update, once it was sent its result is waited for, whoever still wants it. */
  private record NotAbandoned(Operation further) implements Cancellation {
    @Override
    public void abandon() {
      if (further.sendings() == 0) {
        further.abandon();
      }
    }

    @Override
    public boolean forward(Operation cancelRequest) {
      Cancellation means = further.cancellation();
      return means != null && means.forward(cancelRequest);
    }
  }

  /** Ends the operation that was derived with its answer. */
  private static final class FurtherSink extends ForwardingSink {
    private final Operation further;
    private final Backend server;

    FurtherSink(Operation further, Backend server, ResponseSink next) {
      super(next);
      this.further = further;
      this.server = server;
    }

    @Override
    public void complete(LdapMessage response) {
      further.moveTo(OperationState.COMPLETED);
      next.complete(response);
    }

    @Override
    public void complete(LargeMessage response) {
      further.moveTo(OperationState.COMPLETED);
      next.complete(response);
    }

    @Override
    public void reject(Rejection reason) {
      further.moveTo(OperationState.COMPLETED);
      next.reject(reason);
    }
  }
}

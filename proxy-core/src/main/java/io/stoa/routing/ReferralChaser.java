// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.Oids;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.Response;
import io.stoa.operation.Cancellation;
import io.stoa.operation.ForwardingSink;
import io.stoa.operation.MalformedRequestException;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.operation.Rejection;
import io.stoa.operation.ResponseSink;
import io.stoa.operation.Restriction;
import io.stoa.routing.ProxiedAuthorization.ConnectionKind;
import io.stoa.upstream.balancing.ServerGroup;
import io.stoa.upstream.pool.UpstreamPools;
import io.stoa.upstream.server.Backend;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Follows the referrals with which read-only servers answer writes.
 *
 * <p>A referral is followed once, and only to configured servers. The connection there is bound as
 * the client, so no other server may receive its credentials.
 *
 * <p>Threading: event loop.
 */
final class ReferralChaser {
  private static final int REFERRAL = 10;

  private final ServerGroup group;
  private final UpstreamPools pools;
  private final @Nullable ProxiedAuthorization proxying;

  /**
   * Creates a chaser.
   *
   * @param proxying decides which writes use the service account; null without proxied
   *     authorization
   */
  ReferralChaser(ServerGroup group, UpstreamPools pools, @Nullable ProxiedAuthorization proxying) {
    this.group = group;
    this.pools = pools;
    this.proxying = proxying;
  }

  /**
   * Sends a write to the server that its answer names.
   *
   * @param sink receives the answer
   * @return the server; null, without effect, if the referral must be passed to the client
   */
  @Nullable Backend follow(
      Operation operation, Request request, LdapMessage response, ResponseSink sink) {
    if (!isReferral(response) || !mayLeave(operation, request)) {
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

  /** Returns the server to which a referral has sent this write; null if it was not referred. */
  static @Nullable Backend target(Operation operation) {
    return operation.sink() instanceof ReferredSink sink ? sink.server : null;
  }

  /** True if an answer is a referral. */
  static boolean isReferral(LdapMessage response) {
    return LdapResult.codeOf(response.body()) == REFERRAL;
  }

  /**
   * True if the write may be sent elsewhere. A write that depends on its connection may not, and
   * ManageDsaIT forbids chasing.
   */
  private static boolean mayLeave(Operation operation, Request request) {
    return operation.session().restriction() != Restriction.EXCLUSIVE
        && Restrictions.of(request) == Restriction.NONE
        && request.controls().stream().map(Control::oid).noneMatch(Oids.MANAGE_DSA_IT::equals);
  }

  private boolean usesServiceAccount(Operation operation, Request request) {
    return proxying != null && proxying.of(operation, request, false) == ConnectionKind.SERVICE;
  }

  private @Nullable Backend send(
      Operation operation, Request request, Referral referral, ResponseSink sink) {
    try {
      boolean service = usesServiceAccount(operation, request);
      Backend server =
          find(
              referral,
              service ? TransportTrust.forService(operation) : TransportTrust.forClient(operation));
      if (server == null || !(service || operation.session().identity().canRebind())) {
        return null;
      }
      byte[] op = referral.apply(operation.message().copyOp());
      LdapMessage message = LdapMessage.of(operation.messageId(), op, request.controls());
      Operation derived = operation.derived(message, own -> new ReferredSink(own, server, sink));
      derived.request(); // decoded here: the kind of request decides how its end is handled
      operation.setCancellation(new NotAbandoned(derived));
      if (service) {
        pools.sendAsService(derived, server);
      } else {
        pools.send(derived, server);
      }
      return server;
    } catch (LdapProtocolException | MalformedRequestException e) {
      return null;
    }
  }

  /**
   * Returns the configured server that the referral names, if it is usable, eligible and not the
   * primary.
   */
  private @Nullable Backend find(Referral referral, Predicate<Backend> eligible) {
    return group.backends().stream()
        .filter(eligible)
        .filter(backend -> backend != group.primary() && backend.isUsable())
        .filter(backend -> referral.leadsTo(backend.address()))
        .findFirst()
        .orElse(null);
  }

  /**
   * Abandons the write only before it is sent. As with each update, a result is awaited afterwards.
   */
  private record NotAbandoned(Operation further) implements Cancellation {
    @Override
    public void abandon() {
      if (further.sendings() == 0) {
        further.abandon();
      }
    }

    @Override
    public boolean forward(Operation cancelRequest) {
      Cancellation cancellation = further.cancellation();
      return cancellation != null && cancellation.forward(cancelRequest);
    }
  }

  /** Ends the derived operation when its answer arrives. */
  private static final class ReferredSink extends ForwardingSink {
    private final Operation derived;
    private final Backend server;

    ReferredSink(Operation derived, Backend server, ResponseSink next) {
      super(next);
      this.derived = derived;
      this.server = server;
    }

    @Override
    public void complete(Response response) {
      derived.moveTo(OperationState.COMPLETED);
      next.complete(response);
    }

    @Override
    public void reject(Rejection reason) {
      derived.moveTo(OperationState.COMPLETED);
      next.reject(reason);
    }
  }
}

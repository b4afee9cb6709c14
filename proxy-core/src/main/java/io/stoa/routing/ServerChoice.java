// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Operation;
import io.stoa.routing.ReadEligibility.ServerJudge;
import io.stoa.upstream.balancing.LoadBalancingContext;
import io.stoa.upstream.balancing.ServerGroup;
import io.stoa.upstream.pool.UpstreamPools;
import io.stoa.upstream.server.Backend;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the server for an operation that any server may answer.
 *
 * <p>Threading: event loop.
 */
record ServerChoice(ServerGroup branch, UpstreamPools pools, ReadEligibility eligibility) {
  /** Value of an idle connection of the same identity, in outstanding operations: 4. */
  private static final int IDLE_CONNECTION_WORTH = 4;

  private static final int BASE_OBJECT = 0;
  private static final int HASH_FACTOR = 31;
  private static final int LOWER_CASE = 0x20;

  /**
   * Returns the server for an operation, and counts it if required writes may be missing there.
   *
   * @param avoid server that did not answer, used last; null if there is none
   * @param eligible true for servers that may be used at all
   * @return the server; null if no eligible server is usable
   */
  @Nullable Backend of(Operation operation, @Nullable Backend avoid, Predicate<Backend> eligible) {
    ServerJudge judge = eligibility.hasChoice() ? eligibility.judgeFor(operation, false) : null;
    Backend best = of(operation, avoid, eligible, judge);
    eligibility.countIfUncovered(judge, best);
    return best;
  }

  /**
   * Returns the server for an operation, without counting.
   *
   * @param judge judges which servers have the required writes; null if all have
   */
  @Nullable Backend of(
      Operation operation,
      @Nullable Backend avoid,
      Predicate<Backend> eligible,
      @Nullable ServerJudge judge) {
    List<Backend> servers = branch.backends();
    if (servers.size() == 1) {
      Backend only = servers.get(0);
      return only.isUsable() && eligible.test(only) ? only : null;
    }
    LoadBalancingContext context = new ChoiceContext(operation, operation.request(), pools);
    if (judge == null) {
      return chooseAvoiding(avoid, eligible, context);
    }
    Predicate<Backend> eligibleUp = eligible.and(Backend::isUp);
    Backend best =
        chooseAvoiding(avoid, eligibleUp.and(judge).and(eligibility::isWithinLag), context);
    return best == null ? chooseAnswering(avoid, eligible, judge, context) : best;
  }

  /**
   * Chooses among servers that answer, although ejected or late. These are better than a server
   * without the required writes.
   */
  private @Nullable Backend chooseAnswering(
      @Nullable Backend avoid,
      Predicate<Backend> eligible,
      Predicate<Backend> upToDate,
      LoadBalancingContext context) {
    Predicate<Backend> answering = eligible.and(Backend::isResponding);
    Backend best =
        chooseAvoiding(avoid, answering.and(upToDate).and(eligibility::isWithinLag), context);
    best = best == null ? chooseAvoiding(avoid, answering.and(upToDate), context) : best;
    best = best == null ? chooseUncovered(avoid, eligible.and(Backend::isUp), context) : best;
    return best == null ? chooseAmongDown(avoid, eligible, upToDate, context) : best;
  }

  /** Chooses among all eligible servers, since none is up. */
  private @Nullable Backend chooseAmongDown(
      @Nullable Backend avoid,
      Predicate<Backend> eligible,
      Predicate<Backend> upToDate,
      LoadBalancingContext context) {
    Backend best =
        chooseAvoiding(avoid, eligible.and(upToDate).and(eligibility::isWithinLag), context);
    best = best == null ? chooseAvoiding(avoid, eligible.and(upToDate), context) : best;
    return best == null ? chooseUncovered(avoid, eligible, context) : best;
  }

  /** Chooses a server without the required writes: an older answer is better than none. */
  private @Nullable Backend chooseUncovered(
      @Nullable Backend avoid, Predicate<Backend> eligible, LoadBalancingContext context) {
    Predicate<Backend> foremost =
        eligible
            .and(eligibility::isWithinLag)
            .and(backend -> eligibility.isFurthestAhead(backend, eligible));
    Backend best = chooseAvoiding(avoid, foremost, context);
    best =
        best == null
            ? chooseAvoiding(avoid, eligible.and(eligibility::isWithinLag), context)
            : best;
    return best == null ? chooseAvoiding(avoid, eligible, context) : best;
  }

  private @Nullable Backend chooseAvoiding(
      @Nullable Backend avoid, Predicate<Backend> eligible, LoadBalancingContext context) {
    Backend other =
        avoid == null ? null : branch.choose(eligible.and(backend -> backend != avoid), context);
    return other == null ? branch.choose(eligible, context) : other;
  }

  /** Returns a hash without case. Other differences in spelling seldom mean the same entry. */
  private static int hash(byte[] name) {
    int hash = 0;
    for (byte octet : name) {
      hash = hash * HASH_FACTOR + (octet | LOWER_CASE);
    }
    return hash;
  }

  /**
   * The key and the preferences of one choice. For a bound client, a server with an idle connection
   * saves a bind. A server that has come back gets no such handicap, or quiet clients would never
   * return to it.
   */
  private record ChoiceContext(Operation operation, Request request, UpstreamPools pools)
      implements LoadBalancingContext {
    @Override
    public int handicap(Backend backend) {
      ClientSession session = operation.session();
      boolean free =
          request.op() instanceof BindOp
              || session.identity().isAnonymous()
              || backend.isReturning(System.nanoTime())
              || pools.hasIdle(session, backend);
      return free ? 0 : IDLE_CONNECTION_WORTH;
    }

    /**
     * Returns a hash of the entry that is read or binds; for a search of many, of the whole
     * request.
     */
    @Override
    public long affinity() {
      byte[] name = request.op() instanceof BindOp bind ? bind.name() : request.op().target();
      boolean ofMany = request.op() instanceof SearchOp search && search.scope() != BASE_OBJECT;
      return ofMany || name == null ? operation.message().hash() : hash(name);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.Request;
import io.stoa.ldap.protocol.RequestOp.BindOp;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.operation.ClientSession;
import io.stoa.operation.Operation;
import io.stoa.routing.ReadEligibility.Known;
import io.stoa.upstream.balancing.LoadBalancingContext;
import io.stoa.upstream.balancing.ServerGroup;
import io.stoa.upstream.pool.UpstreamPools;
import io.stoa.upstream.server.Backend;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the server for an operation that any server may answer.
 *
 * <p>Threading: event loop.
 */
record ServerChoice(ServerGroup branch, UpstreamPools pools, ReadEligibility freshness) {
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
  @Nullable Backend of(Operation operation, @Nullable Backend avoid, Predicate<Backend> eligible)
      throws LdapProtocolException {
    Known known = freshness.matters() ? freshness.known(operation, false) : null;
    Backend best = of(operation, avoid, eligible, known);
    freshness.note(known, best);
    return best;
  }

  /**
   * Returns the server for an operation, without counting.
   *
   * @param fresh judges which servers have the required writes; null if all have
   */
  @Nullable Backend of(
      Operation operation,
      @Nullable Backend avoid,
      Predicate<Backend> eligible,
      @Nullable Known fresh)
      throws LdapProtocolException {
    LoadBalancingContext demand = new Asked(operation, operation.request(), pools);
    if (fresh == null) {
      return but(avoid, eligible, demand);
    }
    Predicate<Backend> up = eligible.and(Backend::up);
    Backend best = but(avoid, up.and(fresh).and(freshness::keepsUp), demand);
    return best == null ? covered(avoid, eligible, fresh, demand) : best;
  }

  /**
   * Chooses among servers that answer, although ejected or late. These are better than a server
   * without the required writes.
   */
  private @Nullable Backend covered(
      @Nullable Backend avoid,
      Predicate<Backend> eligible,
      Predicate<Backend> fresh,
      LoadBalancingContext demand) {
    Predicate<Backend> answering = eligible.and(Backend::answers);
    Backend best = but(avoid, answering.and(fresh).and(freshness::keepsUp), demand);
    best = best == null ? but(avoid, answering.and(fresh), demand) : best;
    best = best == null ? uncovered(avoid, eligible.and(Backend::up), demand) : best;
    return best == null ? silent(avoid, eligible, fresh, demand) : best;
  }

  /** Chooses among all eligible servers, since none is up. */
  private @Nullable Backend silent(
      @Nullable Backend avoid,
      Predicate<Backend> eligible,
      Predicate<Backend> fresh,
      LoadBalancingContext demand) {
    Backend best = but(avoid, eligible.and(fresh).and(freshness::keepsUp), demand);
    best = best == null ? but(avoid, eligible.and(fresh), demand) : best;
    return best == null ? uncovered(avoid, eligible, demand) : best;
  }

  /** Chooses a server without the required writes: an older answer is better than none. */
  private @Nullable Backend uncovered(
      @Nullable Backend avoid, Predicate<Backend> eligible, LoadBalancingContext demand) {
    Predicate<Backend> foremost =
        eligible.and(freshness::keepsUp).and(backend -> freshness.isForemost(backend, eligible));
    Backend best = but(avoid, foremost, demand);
    best = best == null ? but(avoid, eligible.and(freshness::keepsUp), demand) : best;
    return best == null ? but(avoid, eligible, demand) : best;
  }

  private @Nullable Backend but(
      @Nullable Backend avoid, Predicate<Backend> eligible, LoadBalancingContext demand) {
    Backend other =
        avoid == null ? null : branch.choose(eligible.and(backend -> backend != avoid), demand);
    return other == null ? branch.choose(eligible, demand) : other;
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
  private record Asked(Operation operation, Request request, UpstreamPools pools)
      implements LoadBalancingContext {
    @Override
    public int handicap(Backend backend) {
      ClientSession session = operation.session();
      boolean free =
          request.op() instanceof BindOp
              || session.identity().anonymous()
              || backend.returning(System.nanoTime())
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

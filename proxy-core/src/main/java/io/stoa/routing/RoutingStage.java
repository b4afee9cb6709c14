// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.Request;
import io.stoa.operation.ClientSession;
import io.stoa.operation.InternalSession;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.operation.Restriction;
import io.stoa.operation.Stage;
import io.stoa.routing.ProxiedAuthorization.Way;
import io.stoa.routing.ReadEligibility.Known;
import io.stoa.routing.retry.Replay;
import io.stoa.upstream.auth.DedicatedConnections;
import io.stoa.upstream.balancing.ServerGroup;
import io.stoa.upstream.pool.UnansweredHandler;
import io.stoa.upstream.pool.UpstreamPools;
import io.stoa.upstream.server.Backend;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The last stage: chooses the server and the kind of connection for each operation.
 *
 * <p>Threading: event loop.
 */
public final class RoutingStage implements Stage {
  private final ServerGroup branch;
  private final ReadEligibility freshness;
  private final NamingContexts contexts;
  private final UpstreamPools pools;
  private final ServerChoice choice;
  private final BindRouter binding;
  private final Replay replay;
  private final @Nullable ProxiedAuthorization proxying;
  private final @Nullable ReferralChaser following;
  private final OwnConnection own;
  private final ReplicaCatchUpQueue arrivals;
  private final StartQueue start;

  /**
   * Creates the stage.
   *
   * @param config configuration of referrals, retries and queues
   * @param pools creates the pools of the stage's loop, given a handler for unanswered operations
   */
  public RoutingStage(
      ServerGroup branch,
      ReadEligibility freshness,
      NamingContexts contexts,
      RouteConfig config,
      Function<UnansweredHandler, UpstreamPools> pools) {
    this.branch = branch;
    this.freshness = freshness;
    this.contexts = contexts;
    this.replay = new Replay(new Ways(), config.replay());
    this.pools = pools.apply(new Returns(replay));
    this.choice = new ServerChoice(branch, this.pools, freshness);
    DedicatedConnections owners = this.pools.proxied();
    this.proxying = owners == null ? null : new ProxiedAuthorization(owners);
    BindChoice binds = new BindChoice(branch, contexts, config.bindAffinity(), choice);
    this.arrivals = new ReplicaCatchUpQueue(freshness, config.bound(), this::sendAgain);
    this.start = new StartQueue(branch, config, this::sendAgain);
    this.binding = new BindRouter(branch, this.pools, binds, replay, proxying, arrivals);
    this.following = config.follow() ? new ReferralChaser(branch, this.pools, proxying) : null;
    ServerCookies cookies = new ServerCookies(this.pools);
    this.own = new OwnConnection(branch, this.pools, cookies, freshness, choice, arrivals);
  }

  /** Returns the connection pools of the stage's loop. */
  public UpstreamPools pools() {
    return pools;
  }

  @Override
  public void handle(Operation operation) throws LdapProtocolException {
    watch(operation);
    if (!start.keep(operation)) {
      send(operation, null);
    }
  }

  /** Wraps the sink, so that coherence sees an answer before the client does. */
  private void watch(Operation operation) throws LdapProtocolException {
    Request request = operation.request();
    if (operation.mayChange()) {
      operation.sink(new WriteSink(operation, request, freshness, branch.primary(), following));
    } else {
      freshness.watch(operation, request);
    }
  }

  private void send(Operation operation, @Nullable Backend avoid) throws LdapProtocolException {
    if (operation.type() == OpType.BIND_REQUEST) {
      binding.bind(operation, avoid);
    } else {
      sendRequest(operation, avoid);
    }
  }

  private void sendAgain(Operation operation) {
    try {
      send(operation, null);
    } catch (LdapProtocolException e) {
      throw new IllegalStateException("a request that was read before is malformed now", e);
    }
  }

  /** Sends operations again for {@link Replay}. */
  private final class Ways implements Replay.Ways {
    @Override
    public void send(Operation operation, @Nullable Backend avoid) throws LdapProtocolException {
      RoutingStage.this.send(operation, avoid);
    }

    @Override
    public boolean other(Operation operation) throws LdapProtocolException {
      return operation.type() == OpType.BIND_REQUEST
          ? binding.other(operation)
          : otherForRead(operation);
    }

    @Override
    public boolean second(Operation operation, Backend first, Supplier<Operation> twin)
        throws LdapProtocolException {
      Way way = way(operation, operation.request(), Restriction.NONE);
      Predicate<Backend> others =
          fresh(operation, way).and(one -> one != first && one.up() && !one.places().full());
      Backend other = otherForRead(operation) ? choice.of(operation, null, others) : null;
      if (other != null) {
        sendShared(twin.get(), way, other, null);
      }
      return other != null;
    }

    @Override
    public boolean single() {
      return branch.backends().size() == 1;
    }
  }

  /** True if another server may answer a read. A client whose password is not kept has no other. */
  private boolean otherForRead(Operation operation) throws LdapProtocolException {
    Request request = operation.request();
    Way way = way(operation, request, Restriction.NONE);
    boolean bindsAgain = way == Way.SERVICE || operation.session().identity().bindsAgain();
    Predicate<Backend> eligible = fresh(operation, way);
    return bindsAgain
        && only(operation, request) == null
        && branch.backends().stream().anyMatch(one -> one.usable() && eligible.test(one));
  }

  /**
   * Returns the servers with the required writes and an allowed lag. A retry is refused rather than
   * answered with an older state.
   */
  private Predicate<Backend> fresh(Operation operation, Way way) throws LdapProtocolException {
    return eligible(operation, way).and(freshness.of(operation)).and(freshness::keepsUp);
  }

  private void sendRequest(Operation operation, @Nullable Backend avoid)
      throws LdapProtocolException {
    Request request = operation.request();
    Restriction needed = Restrictions.of(request);
    Way way = way(operation, request, needed);
    if (way == Way.NONE) {
      operation.sink().reject(ProxiedAuthorization.refusal(request));
    } else if (Restrictions.endless(request) && !admitted(operation)) {
      operation.sink().reject(Rejection.TOO_MANY_LONG_LIVED);
    } else if (needsOwnConnection(operation, needed)) { // shared connections are of no use here
      own.send(operation, way, trusted(operation, way, shared -> false));
    } else {
      sendShared(operation, avoid, way, eligible(operation, way));
    }
  }

  private Way way(Operation operation, Request request, Restriction needed)
      throws LdapProtocolException {
    if (pools.saslBoundTo(operation.session()) != null) {
      return Way.OWN;
    }
    if (proxying != null) {
      boolean ownIsBetter = needed != Restriction.NONE || isOfServer(operation, request);
      return proxying.of(operation, request, ownIsBetter);
    }
    ClientSession session = operation.session();
    boolean may =
        needed == Restriction.NONE
            || session.identity().bindsAgain()
            || session.restriction().compareTo(Restriction.ONLY_CONNECTION) >= 0;
    return may ? Way.OWN : Way.NONE;
  }

  /** Returns a test for servers to which the operation may be sent that way. */
  private Predicate<Backend> eligible(Operation operation, Way way) throws LdapProtocolException {
    return Replay.open(operation, trusted(operation, way));
  }

  /** Returns a test for servers to which it may be sent that way, even if they have refused it. */
  private Predicate<Backend> trusted(Operation operation, Way way) throws LdapProtocolException {
    return trusted(operation, way, one -> pools.canServe(operation.session(), one));
  }

  private Predicate<Backend> trusted(Operation operation, Way way, Predicate<Backend> serving)
      throws LdapProtocolException {
    return way == Way.SERVICE
        ? TransportTrust.asService(operation)
        : TransportTrust.bound(operation, branch, TransportTrust.in(operation), serving);
  }

  /**
   * True if the request concerns the server itself, so that a connection bound as the client is
   * preferred: a server may grant the proxy right in its naming contexts only. False if the client
   * may not bind at the only server that can answer.
   */
  private boolean isOfServer(Operation operation, Request request) throws LdapProtocolException {
    if (!contexts.ofServer(request)) {
      return false;
    }
    Backend only = only(operation, request);
    return only == null || TransportTrust.in(operation).test(only);
  }

  private static boolean admitted(Operation operation) {
    return operation.longLived() || operation.session().admitLongLived(operation);
  }

  private static boolean needsOwnConnection(Operation operation, Restriction needed)
      throws LdapProtocolException {
    if (Restrictions.mayLeaveAnything(operation.request())) {
      operation.session().restrict(Restriction.OWN_CONNECTION); // its answer may restrict further
    } else if (needed != Restriction.NONE) {
      operation.session().restrict(needed);
    }
    boolean alone = operation.session().restriction().compareTo(Restriction.ONLY_CONNECTION) >= 0;
    return needed != Restriction.NONE || (alone && ReferralChaser.target(operation) == null);
  }

  /** Returns the reason why an operation cannot be sent to its server. */
  private Rejection refusal(@Nullable Backend backend, Predicate<Backend> trusted) {
    if (backend == null) {
      return binding.nobody(trusted);
    }
    return trusted.test(backend) ? own.unreachable() : Rejection.UPSTREAM_PLAIN;
  }

  /**
   * Sends an operation on a shared connection. A read whose client may not bind at the one
   * preferred server goes to a server where it may.
   */
  private void sendShared(
      Operation operation, @Nullable Backend avoid, Way way, Predicate<Backend> eligible)
      throws LdapProtocolException {
    Backend only = only(operation, operation.request());
    boolean any = only == null || !(operation.mayChange() || eligible.test(only));
    Known known = any ? known(operation) : null;
    Backend backend = any ? anyFor(operation, avoid, way, eligible, known) : only;
    if (backend != null && !serves(backend, operation)) { // lost this moment
      known = operation.mayChange() ? null : known(operation);
      backend =
          operation.mayChange() ? taker(operation) : anyFor(operation, avoid, way, eligible, known);
    }
    if (backend == null || !serves(backend, operation) || !eligible.test(backend)) {
      operation.sink().reject(refusal(backend, trusted(operation, way)));
    } else if (!arrivals.keep(operation, known, backend, eligible)) {
      sendShared(operation, way, backend, known == null ? null : known.unwanted(backend));
    }
  }

  private @Nullable Known known(Operation operation) throws LdapProtocolException {
    return freshness.matters() ? freshness.known(operation, replay.checks(operation)) : null;
  }

  /**
   * True if a server can perform an operation. A drained server still answers reads that no other
   * can.
   */
  private static boolean serves(Backend backend, Operation operation) {
    return backend.usable() || (backend.health().drained() && !operation.mayChange());
  }

  /**
   * Sends an operation to a server.
   *
   * @param unwanted test for messages of an answer that may be stale; null if none can be
   */
  private void sendShared(
      Operation operation, Way way, Backend backend, @Nullable Predicate<LdapMessage> unwanted) {
    replay.asks(operation, backend, unwanted);
    freshness.sending(operation, backend);
    if (way == Way.SERVICE) {
      pools.sendAsService(operation, backend);
    } else {
      pools.send(operation, backend);
    }
  }

  /**
   * Chooses a server. A client whose password is not kept stays on servers with a connection of its
   * identity, while there are any.
   */
  private @Nullable Backend anyFor(
      Operation operation,
      @Nullable Backend avoid,
      Way way,
      Predicate<Backend> eligible,
      @Nullable Known known)
      throws LdapProtocolException {
    ClientSession session = operation.session();
    if (way != Way.SERVICE && !session.identity().bindsAgain()) {
      Backend bound = choice.of(operation, avoid, one -> pools.canServe(session, one), known);
      if (bound != null) {
        return bound;
      }
    }
    return choice.of(operation, avoid, eligible, known);
  }

  /**
   * Returns the only server that may answer: for writes, for reads soon after writes, and for
   * Stoa's own reads. Null if any server may.
   */
  private @Nullable Backend only(Operation operation, Request request) {
    if (operation.mayChange()) {
      return taker(operation);
    }
    if (operation.isOfOneServer() || operation.session() instanceof InternalSession) {
      Backend primary = branch.primary();
      if (primary.usable() && freshness.isBest(primary)) {
        return primary;
      }
    }
    return freshness.only(request);
  }

  /** Returns the server that takes a write. A referral holds only for the server that it names. */
  private Backend taker(Operation operation) {
    Backend referred = ReferralChaser.target(operation);
    return referred == null ? branch.primary() : referred;
  }
}

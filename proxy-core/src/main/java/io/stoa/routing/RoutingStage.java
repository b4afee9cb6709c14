// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.Request;
import io.stoa.operation.ClientSession;
import io.stoa.operation.InternalSession;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.operation.Restriction;
import io.stoa.operation.Stage;
import io.stoa.routing.ProxiedAuthorization.ConnectionKind;
import io.stoa.routing.ReadEligibility.ServerJudge;
import io.stoa.routing.retry.Replay;
import io.stoa.upstream.auth.DedicatedIdentities;
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
  private final ReadEligibility eligibility;
  private final NamingContexts contexts;
  private final UpstreamPools pools;
  private final ServerChoice choice;
  private final BindRouter binding;
  private final Replay replay;
  private final @Nullable ProxiedAuthorization proxying;
  private final @Nullable ReferralChaser chaser;
  private final DedicatedRouter own;
  private final ReplicaCatchUpQueue catchUpQueue;
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
    this.eligibility = freshness;
    this.contexts = contexts;
    this.replay = new Replay(new Sender(), config.replay());
    this.pools = pools.apply(new ReplayForwarder(replay));
    this.choice = new ServerChoice(branch, this.pools, freshness);
    DedicatedIdentities owners = this.pools.proxied();
    this.proxying = owners == null ? null : new ProxiedAuthorization(owners);
    BindChoice binds = new BindChoice(branch, contexts, config.bindAffinity(), choice);
    this.catchUpQueue = new ReplicaCatchUpQueue(freshness, config.bound(), this::sendAgain);
    this.start = new StartQueue(branch, config, this::sendAgain);
    this.binding = new BindRouter(branch, this.pools, binds, replay, proxying, catchUpQueue);
    this.chaser =
        config.followReferrals() ? new ReferralChaser(branch, this.pools, proxying) : null;
    ServerCookies cookies = new ServerCookies(this.pools);
    this.own = new DedicatedRouter(branch, this.pools, cookies, freshness, choice, catchUpQueue);
  }

  /** Returns the connection pools of the stage's loop. */
  public UpstreamPools pools() {
    return pools;
  }

  @Override
  public void handle(Operation operation) {
    watch(operation);
    if (!start.enqueue(operation)) {
      send(operation, null);
    }
  }

  /** Wraps the sink, so that coherence sees an answer before the client does. */
  private void watch(Operation operation) {
    Request request = operation.request();
    if (operation.mayChange()) {
      operation.sink(new WriteSink(operation, request, eligibility, branch.primary(), chaser));
    } else {
      eligibility.watch(operation, request);
    }
  }

  private void send(Operation operation, @Nullable Backend avoid) {
    if (operation.type() == OpType.BIND_REQUEST) {
      binding.bind(operation, avoid);
    } else {
      sendRequest(operation, avoid);
    }
  }

  private void sendAgain(Operation operation) {
    send(operation, null);
  }

  /** Sends operations again for {@link Replay}. */
  private final class Sender implements Replay.OperationSender {
    @Override
    public void send(Operation operation, @Nullable Backend avoid) {
      RoutingStage.this.send(operation, avoid);
    }

    @Override
    public boolean hasOtherServer(Operation operation) {
      return operation.type() == OpType.BIND_REQUEST
          ? binding.hasOther(operation)
          : hasOtherForRead(operation);
    }

    @Override
    public boolean sendHedge(Operation operation, Backend first, Supplier<Operation> twin) {
      ConnectionKind way = way(operation, operation.request(), Restriction.NONE);
      Predicate<Backend> others =
          eligibleForRetry(operation, way)
              .and(one -> one != first && one.isUp() && !one.limiter().isFull());
      Backend other = hasOtherForRead(operation) ? choice.of(operation, null, others) : null;
      if (other != null) {
        sendShared(twin.get(), way, other, null);
      }
      return other != null;
    }

    @Override
    public boolean isSingleServer() {
      return branch.backends().size() == 1;
    }
  }

  /** True if another server may answer a read. A client whose password is not kept has no other. */
  private boolean hasOtherForRead(Operation operation) {
    Request request = operation.request();
    ConnectionKind way = way(operation, request, Restriction.NONE);
    boolean bindsAgain =
        way == ConnectionKind.SERVICE || operation.session().identity().canRebind();
    Predicate<Backend> eligible = eligibleForRetry(operation, way);
    return bindsAgain
        && onlyServer(operation, request) == null
        && branch.backends().stream().anyMatch(one -> one.isUsable() && eligible.test(one));
  }

  /**
   * Returns the servers with the required writes and an allowed lag. A retry is refused rather than
   * answered with an older state.
   */
  private Predicate<Backend> eligibleForRetry(Operation operation, ConnectionKind way) {
    return eligible(operation, way)
        .and(eligibility.hasRequiredWrites(operation))
        .and(eligibility::isWithinLag);
  }

  private void sendRequest(Operation operation, @Nullable Backend avoid) {
    Request request = operation.request();
    Restriction needed = Restrictions.of(request);
    ConnectionKind way = way(operation, request, needed);
    if (way == ConnectionKind.NONE) {
      operation.sink().reject(ProxiedAuthorization.refusal(request));
    } else if (Restrictions.isEndlessSearch(request) && !admitted(operation)) {
      operation.sink().reject(Rejection.TOO_MANY_LONG_LIVED);
    } else if (needsOwnConnection(operation, needed)) { // shared connections are of no use here
      own.send(operation, way, trusted(operation, way, shared -> false));
    } else {
      sendShared(operation, avoid, way, eligible(operation, way));
    }
  }

  private ConnectionKind way(Operation operation, Request request, Restriction needed) {
    if (pools.saslBoundTo(operation.session()) != null) {
      return ConnectionKind.OWN;
    }
    if (proxying != null) {
      boolean ownIsBetter = needed != Restriction.NONE || isOfServer(operation, request);
      return proxying.of(operation, request, ownIsBetter);
    }
    ClientSession session = operation.session();
    boolean may =
        needed == Restriction.NONE
            || session.identity().canRebind()
            || session.restriction().compareTo(Restriction.ONLY_CONNECTION) >= 0;
    return may ? ConnectionKind.OWN : ConnectionKind.NONE;
  }

  /** Returns a test for servers to which the operation may be sent that way. */
  private Predicate<Backend> eligible(Operation operation, ConnectionKind way) {
    return Replay.withoutRefusers(operation, trusted(operation, way));
  }

  /** Returns a test for servers to which it may be sent that way, even if they have refused it. */
  private Predicate<Backend> trusted(Operation operation, ConnectionKind way) {
    return trusted(operation, way, one -> pools.canServe(operation.session(), one));
  }

  private Predicate<Backend> trusted(
      Operation operation, ConnectionKind way, Predicate<Backend> serving) {
    return way == ConnectionKind.SERVICE
        ? TransportTrust.forService(operation)
        : TransportTrust.confirmedForClient(
            operation, branch, TransportTrust.forClient(operation), serving);
  }

  /**
   * True if the request concerns the server itself, so that a connection bound as the client is
   * preferred: a server may grant the proxy right in its naming contexts only. False if the client
   * may not bind at the only server that can answer.
   */
  private boolean isOfServer(Operation operation, Request request) {
    if (!contexts.ofServer(request)) {
      return false;
    }
    Backend only = onlyServer(operation, request);
    return only == null || TransportTrust.forClient(operation).test(only);
  }

  private static boolean admitted(Operation operation) {
    return operation.longLived() || operation.session().admitLongLived(operation);
  }

  private static boolean needsOwnConnection(Operation operation, Restriction needed) {
    if (Restrictions.mayLeaveUnknownState(operation.request())) {
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
      return binding.noServerReason(trusted);
    }
    return trusted.test(backend) ? own.unreachableReason() : Rejection.UPSTREAM_PLAIN;
  }

  /**
   * Sends an operation on a shared connection. A read whose client may not bind at the one
   * preferred server goes to a server where it may.
   */
  private void sendShared(
      Operation operation,
      @Nullable Backend avoid,
      ConnectionKind way,
      Predicate<Backend> eligible) {
    Backend only = onlyServer(operation, operation.request());
    boolean any = only == null || !(operation.mayChange() || eligible.test(only));
    ServerJudge known = any ? known(operation) : null;
    Backend backend = any ? anyFor(operation, avoid, way, eligible, known) : only;
    if (backend != null && !serves(backend, operation)) { // lost this moment
      known = operation.mayChange() ? null : known(operation);
      backend =
          operation.mayChange()
              ? writeServer(operation)
              : anyFor(operation, avoid, way, eligible, known);
    }
    if (backend == null || !serves(backend, operation) || !eligible.test(backend)) {
      operation.sink().reject(refusal(backend, trusted(operation, way)));
    } else if (!catchUpQueue.enqueue(operation, known, backend, eligible)) {
      sendShared(operation, way, backend, known == null ? null : known.staleTest(backend));
    }
  }

  private @Nullable ServerJudge known(Operation operation) {
    return eligibility.hasChoice()
        ? eligibility.judgeFor(operation, replay.canCheck(operation))
        : null;
  }

  /**
   * True if a server can perform an operation. A drained server still answers reads that no other
   * can.
   */
  private static boolean serves(Backend backend, Operation operation) {
    return backend.isUsable() || (backend.health().isDrained() && !operation.mayChange());
  }

  /**
   * Sends an operation to a server.
   *
   * @param unwanted test for messages of an answer that may be stale; null if none can be
   */
  private void sendShared(
      Operation operation,
      ConnectionKind way,
      Backend backend,
      @Nullable Predicate<LdapMessage> unwanted) {
    replay.onSend(operation, backend, unwanted);
    eligibility.sending(operation, backend);
    if (way == ConnectionKind.SERVICE) {
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
      ConnectionKind way,
      Predicate<Backend> eligible,
      @Nullable ServerJudge known) {
    ClientSession session = operation.session();
    if (way != ConnectionKind.SERVICE && !session.identity().canRebind()) {
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
  private @Nullable Backend onlyServer(Operation operation, Request request) {
    if (operation.mayChange()) {
      return writeServer(operation);
    }
    if (operation.needsOneServer() || operation.session() instanceof InternalSession) {
      Backend primary = branch.primary();
      if (primary.isUsable() && eligibility.isBest(primary)) {
        return primary;
      }
    }
    return eligibility.onlyServer(request);
  }

  /** Returns the server that takes a write. A referral holds only for the server that it names. */
  private Backend writeServer(Operation operation) {
    Backend referred = ReferralChaser.target(operation);
    return referred == null ? branch.primary() : referred;
  }
}

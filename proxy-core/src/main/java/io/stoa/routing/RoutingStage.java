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
import io.stoa.upstream.auth.NeverProxied;
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
  private final ServerGroup group;
  private final ReadEligibility eligibility;
  private final NamingContexts contexts;
  private final UpstreamPools pools;
  private final ServerChoice choice;
  private final BindRouter bindRouter;
  private final Replay replay;
  private final @Nullable ProxiedAuthorization proxying;
  private final @Nullable ReferralChaser chaser;
  private final DedicatedRouter router;
  private final ReplicaCatchUpQueue catchUpQueue;
  private final StartQueue startQueue;

  /**
   * Creates the stage.
   *
   * @param config configuration of referrals, retries and queues
   * @param pools creates the pools of the stage's loop, given a handler for unanswered operations
   */
  public RoutingStage(
      ServerGroup group,
      ReadEligibility eligibility,
      NamingContexts contexts,
      RouteConfig config,
      Function<UnansweredHandler, UpstreamPools> pools) {
    this.group = group;
    this.eligibility = eligibility;
    this.contexts = contexts;
    this.replay = new Replay(new Sender(), config.replay());
    this.pools = pools.apply(new ReplayForwarder(replay));
    this.choice = new ServerChoice(group, this.pools, eligibility);
    NeverProxied neverProxied = this.pools.proxied();
    this.proxying = neverProxied == null ? null : new ProxiedAuthorization(neverProxied);
    BindChoice binds = new BindChoice(group, contexts, config.bindAffinity(), choice);
    this.catchUpQueue = new ReplicaCatchUpQueue(eligibility, config.bound(), this::sendAgain);
    this.startQueue = new StartQueue(group, config, this::sendAgain);
    this.bindRouter = new BindRouter(group, this.pools, binds, replay, proxying, catchUpQueue);
    this.chaser = config.followReferrals() ? new ReferralChaser(group, this.pools, proxying) : null;
    ServerCookies cookies = new ServerCookies(this.pools);
    this.router =
        new DedicatedRouter(group, this.pools, cookies, eligibility, choice, catchUpQueue);
  }

  /** Returns the connection pools of the stage's loop. */
  public UpstreamPools pools() {
    return pools;
  }

  @Override
  public void handle(Operation operation) {
    watch(operation);
    if (!startQueue.enqueue(operation)) {
      send(operation, null);
    }
  }

  /** Wraps the sink, so that coherence sees an answer before the client does. */
  private void watch(Operation operation) {
    operation.checkRequest();
    if (operation.mayChange()) {
      Request request = operation.request();
      operation.setSink(new WriteSink(operation, request, eligibility, group.primary(), chaser));
    } else {
      eligibility.watch(operation);
    }
  }

  private void send(Operation operation, @Nullable Backend avoid) {
    if (operation.type() == OpType.BIND_REQUEST) {
      bindRouter.bind(operation, avoid);
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
          ? bindRouter.hasOther(operation)
          : hasOtherForRead(operation);
    }

    @Override
    public boolean sendHedge(Operation operation, Backend first, Supplier<Operation> hedged) {
      ConnectionKind kind = connectionKind(operation, Restriction.NONE);
      Predicate<Backend> others =
          eligibleForRetry(operation, kind)
              .and(one -> one != first && one.isUp() && !one.limiter().isFull());
      Backend other = hasOtherForRead(operation) ? choice.of(operation, null, others) : null;
      if (other != null) {
        sendShared(hedged.get(), kind, other, null);
      }
      return other != null;
    }

    @Override
    public boolean isSingleServer() {
      return group.backends().size() == 1;
    }
  }

  /** True if another server may answer a read. A client whose password is not kept has no other. */
  private boolean hasOtherForRead(Operation operation) {
    ConnectionKind kind = connectionKind(operation, Restriction.NONE);
    boolean bindsAgain =
        kind == ConnectionKind.SERVICE || operation.session().identity().canRebind();
    Predicate<Backend> eligible = eligibleForRetry(operation, kind);
    return bindsAgain
        && onlyServer(operation) == null
        && group.backends().stream().anyMatch(one -> one.isUsable() && eligible.test(one));
  }

  /**
   * Returns the servers with the required writes and an allowed lag. A retry is refused rather than
   * answered with an older state.
   */
  private Predicate<Backend> eligibleForRetry(Operation operation, ConnectionKind kind) {
    return eligible(operation, kind)
        .and(eligibility.hasRequiredWrites(operation))
        .and(eligibility::isWithinLag);
  }

  private void sendRequest(Operation operation, @Nullable Backend avoid) {
    Restriction needed = Restrictions.of(operation);
    ConnectionKind kind = connectionKind(operation, needed);
    if (kind == ConnectionKind.NONE) {
      operation.sink().reject(ProxiedAuthorization.refusal(operation.request()));
    } else if (Restrictions.isEndlessSearch(operation) && !admitted(operation)) {
      operation.sink().reject(Rejection.TOO_MANY_LONG_LIVED);
    } else if (needsDedicatedConnection(
        operation, needed)) { // shared connections are of no use here
      router.send(operation, kind, trusted(operation, kind, shared -> false));
    } else {
      sendShared(operation, avoid, kind, eligible(operation, kind));
    }
  }

  private ConnectionKind connectionKind(Operation operation, Restriction needed) {
    if (pools.saslBoundTo(operation.session()) != null) {
      return ConnectionKind.OWN;
    }
    if (proxying != null) {
      Request request = operation.request();
      boolean ownIsBetter = needed != Restriction.NONE || isOfServer(operation, request);
      return proxying.of(operation, request, ownIsBetter);
    }
    ClientSession session = operation.session();
    boolean mayUseOwn =
        needed == Restriction.NONE
            || session.identity().canRebind()
            || session.restriction().compareTo(Restriction.ONLY_CONNECTION) >= 0;
    return mayUseOwn ? ConnectionKind.OWN : ConnectionKind.NONE;
  }

  /** Returns a test for servers to which the operation may be sent that way. */
  private Predicate<Backend> eligible(Operation operation, ConnectionKind kind) {
    return Replay.withoutRefusers(operation, trusted(operation, kind));
  }

  /** Returns a test for servers to which it may be sent that way, even if they have refused it. */
  private Predicate<Backend> trusted(Operation operation, ConnectionKind kind) {
    return trusted(operation, kind, one -> pools.canServe(operation.session(), one));
  }

  private Predicate<Backend> trusted(
      Operation operation, ConnectionKind kind, Predicate<Backend> serving) {
    return kind == ConnectionKind.SERVICE
        ? TransportTrust.forService(operation)
        : TransportTrust.confirmedForClient(
            operation, group, TransportTrust.forClient(operation), serving);
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
    Backend onlyServer = onlyServer(operation);
    return onlyServer == null || TransportTrust.forClient(operation).test(onlyServer);
  }

  private static boolean admitted(Operation operation) {
    return operation.isLongLived() || operation.session().admitLongLived(operation);
  }

  private static boolean needsDedicatedConnection(Operation operation, Restriction needed) {
    if (operation.type() == OpType.EXTENDED_REQUEST
        && Restrictions.mayLeaveUnknownState(operation.request())) {
      operation
          .session()
          .restrict(Restriction.DEDICATED_CONNECTION); // its answer may restrict further
    } else if (needed != Restriction.NONE) {
      operation.session().restrict(needed);
    }
    boolean alone = operation.session().restriction().compareTo(Restriction.ONLY_CONNECTION) >= 0;
    return needed != Restriction.NONE || (alone && ReferralChaser.target(operation) == null);
  }

  /** Returns the reason why an operation cannot be sent to its server. */
  private Rejection refusal(@Nullable Backend backend, Predicate<Backend> trusted) {
    if (backend == null) {
      return bindRouter.noServerReason(trusted);
    }
    return trusted.test(backend) ? router.unreachableReason() : Rejection.UPSTREAM_PLAIN;
  }

  /**
   * Sends an operation on a shared connection. A read whose client may not bind at the one
   * preferred server goes to a server where it may.
   */
  private void sendShared(
      Operation operation,
      @Nullable Backend avoid,
      ConnectionKind kind,
      Predicate<Backend> eligible) {
    Backend onlyServer = onlyServer(operation);
    boolean mayChoose = onlyServer == null || !(operation.mayChange() || eligible.test(onlyServer));
    ServerJudge judge = mayChoose ? judge(operation) : null;
    Backend backend =
        mayChoose ? chooseServer(operation, avoid, kind, eligible, judge) : onlyServer;
    if (backend != null && !serves(backend, operation)) { // lost this moment
      judge = operation.mayChange() ? null : judge(operation);
      backend =
          operation.mayChange()
              ? writeServer(operation)
              : chooseServer(operation, avoid, kind, eligible, judge);
    }
    if (backend == null || !serves(backend, operation) || !eligible.test(backend)) {
      operation.sink().reject(refusal(backend, trusted(operation, kind)));
    } else if (!catchUpQueue.enqueue(operation, judge, backend, eligible)) {
      sendShared(operation, kind, backend, judge == null ? null : judge.staleTest(backend));
    }
  }

  private @Nullable ServerJudge judge(Operation operation) {
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
      ConnectionKind kind,
      Backend backend,
      @Nullable Predicate<LdapMessage> unwanted) {
    replay.onSend(operation, backend, unwanted);
    eligibility.onSending(operation, backend);
    if (kind == ConnectionKind.SERVICE) {
      pools.sendAsService(operation, backend);
    } else {
      pools.send(operation, backend);
    }
  }

  /**
   * Chooses a server. A client whose password is not kept stays on servers with a connection of its
   * identity, while there are any.
   */
  private @Nullable Backend chooseServer(
      Operation operation,
      @Nullable Backend avoid,
      ConnectionKind kind,
      Predicate<Backend> eligible,
      @Nullable ServerJudge judge) {
    ClientSession session = operation.session();
    if (kind != ConnectionKind.SERVICE && !session.identity().canRebind()) {
      Backend bound = choice.of(operation, avoid, one -> pools.canServe(session, one), judge);
      if (bound != null) {
        return bound;
      }
    }
    return choice.of(operation, avoid, eligible, judge);
  }

  /**
   * Returns the only server that may answer: for writes, for reads soon after writes, and for
   * Stoa's own reads. Null if any server may.
   */
  private @Nullable Backend onlyServer(Operation operation) {
    if (operation.mayChange()) {
      return writeServer(operation);
    }
    if (operation.needsOneServer() || operation.session() instanceof InternalSession) {
      Backend primary = group.primary();
      if (primary.isUsable() && eligibility.isBest(primary)) {
        return primary;
      }
    }
    return eligibility.onlyServer(operation);
  }

  /** Returns the server that takes a write. A referral holds only for the server that it names. */
  private Backend writeServer(Operation operation) {
    Backend referred = ReferralChaser.target(operation);
    return referred == null ? group.primary() : referred;
  }
}

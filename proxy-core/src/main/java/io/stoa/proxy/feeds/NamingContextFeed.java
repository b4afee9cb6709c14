// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.feeds;

import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import io.stoa.coherence.freshness.CoherenceLease;
import io.stoa.coherence.freshness.LeaseRenewer;
import io.stoa.coherence.freshness.ReadIndex;
import io.stoa.coherence.invalidation.CoherenceDomain;
import io.stoa.coherence.invalidation.CoherenceDomain.DomainContext;
import io.stoa.coherence.invalidation.DomainConfig;
import io.stoa.coherence.invalidation.DomainReport;
import io.stoa.coherence.invalidation.DomainState;
import io.stoa.coherence.invalidation.DomainStatus;
import io.stoa.coherence.rights.AliasWatch;
import io.stoa.coherence.rights.AliasWatch.FeedProgress;
import io.stoa.coherence.rights.ChangeRules;
import io.stoa.coherence.rights.CoverageProof;
import io.stoa.coherence.rights.DerivedAttributes;
import io.stoa.coherence.rights.DerivedConfig;
import io.stoa.coherence.rights.ReadGrant;
import io.stoa.coherence.rights.RightsWatch;
import io.stoa.coherence.rights.RightsWatermark;
import io.stoa.coherence.tracking.FeedCoverage;
import io.stoa.coherence.view.FreshnessGuarantee;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.FeedGap;
import io.stoa.feed.event.FeedKind;
import io.stoa.feed.event.FeedSink;
import io.stoa.feed.event.PrivilegedReader;
import io.stoa.feed.syncrepl.FeedSupervisor;
import io.stoa.feed.syncrepl.SyncContext;
import io.stoa.feed.syncrepl.SyncReplFeed;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerKind;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.net.transport.GuardedTask;
import io.stoa.upstream.server.Backend;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The feed of one naming context, its lease, and the coherence domain that depends on both.
 *
 * <p>Threading: thread-safe.
 */
final class NamingContextFeed implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NamingContextFeed.class);

  private final String context;
  private final DirectoryFeedContext feedContext;
  private final EventExecutor loop;
  private final LongSupplier margin;
  private final CoherenceLease lease;
  private final FeedKind kind;
  private final FeedSupervisor source;
  private final CoherenceDomain domain;
  private final ApplyQueueLimit queueLimit;
  private final LeaseRenewer leaseRenewer;
  private final LeaseWatch watch;
  private final RightsReaders readers;
  private final RightsWatch rights;
  private final RightsWatermark rightsWatermark;
  private final AliasWatch aliases;
  private final CoverageProof proof;
  private final CoverageWatch coverageWatch;
  private final CoverageMemory coverageMemory;
  private final @Nullable ReadIndex reads;
  private final @Nullable RestartWatch restarts;

  /** Number of lease gaps begun by {@link #beginAnew} that end when the feed has reported a gap. */
  private final AtomicInteger pendingGaps = new AtomicInteger();

  private final ScheduledFuture<?> turnTask;
  private final ScheduledFuture<?> rightsTask;

  private volatile ServerProfile profile;
  private volatile DerivedAttributes derived;

  /**
   * Creates and starts a feed.
   *
   * @param context the DN of the naming context, as the directory spells it
   * @param kind the kind of the feed
   * @param rightsChanges counter of the rights changes of all feeds
   */
  NamingContextFeed(
      String context,
      FeedKind kind,
      DirectoryFeedContext feedContext,
      ServerProfile profile,
      AtomicLong rightsChanges) {
    this.kind = kind;
    this.context = context;
    this.feedContext = feedContext;
    this.profile = profile;
    DerivedConfig declared = feedContext.config().derived();
    this.derived = DerivedAttributes.of(declared, profile.evaluationSchema());
    this.loop = new DefaultEventExecutor(new DefaultThreadFactory("stoa-domain", true));
    this.margin = feedContext.margin(kind);
    this.lease = new CoherenceLease(feedContext.config().maxStaleness(), margin);
    SyncContext sync = syncContext();
    this.source = feedContext.feed(kind, context, sync, new FeedListener());
    Duration maxAclStaleness = feedContext.config().maxAclStaleness();
    this.rightsWatermark =
        new RightsWatermark(maxAclStaleness, DomainConfig.SETTLE, this::shown, System::nanoTime);
    rightsWatermark.setSharedCount(rightsChanges);
    this.readers = new RightsReaders(feedContext, source.reader());
    this.rights = new RightsWatch(rightsContext(), rightsWatermark, source.reader(), declared);
    FeedProgress settling =
        new FeedProgress(
            DomainConfig.SETTLE.toNanos(), this::shown, lease::hasReached, this::reached);
    this.aliases =
        new AliasWatch(base(), source.reader(), rightsWatermark, settling, System::nanoTime);
    this.proof = new CoverageProof(base(), source.reader(), this::gapOfRules, System::nanoTime);
    this.domain = new CoherenceDomain(domainConfig(sync), domainContext(), rules(sync));
    this.queueLimit = new ApplyQueueLimit(domain.feed(), loop);
    this.restarts = watchRestarts();
    this.leaseRenewer =
        new LeaseRenewer(
            feedContext.loop(), this::serversToPoll, this::ask, lease, System::nanoTime);
    this.reads = feedContext.config().isStrict() ? readIndex() : null;
    this.watch = new LeaseWatch(context, lease, margin, leaseRenewer.interval(), System::nanoTime);
    this.coverageWatch = new CoverageWatch(context, this::evidence, System::nanoTime);
    this.coverageMemory = new CoverageMemory(feedContext.coverageFile(), name(), domain);
    watch.explain(this::restartReason);
    this.turnTask = repeat(this::tick, leaseRenewer.interval());
    this.rightsTask = repeat(() -> rights.run(System::nanoTime), rights.interval());
    start();
  }

  private SyncContext syncContext() {
    return new SyncContext(
        feedContext.positionName(context),
        feedContext.config().feed().refreshLimit(),
        feedContext.secret(),
        new CurrentSchema(),
        System::nanoTime);
  }

  private @Nullable RestartWatch watchRestarts() {
    return source instanceof SyncReplFeed feed
        ? new RestartWatch(feedContext, context, (gap, text) -> beginAnew(feed, gap, text))
        : null;
  }

  private void start() {
    if (restarts == null) {
      source.start();
    } else {
      restarts.begin(feedContext.servers().watched(), () -> post(source::start));
    }
  }

  /**
   * Returns why a server is not proved to be the same process, for administrators; empty if it is.
   */
  private String restartReason(Object server) {
    return restarts == null ? "" : restarts.why(server);
  }

  private Set<Backend> serversToPoll() {
    RestartWatch restartWatch = restarts;
    if (restartWatch == null) {
      return feedContext.servers().writable();
    }
    Set<Backend> servers = feedContext.servers().watched();
    restartWatch.keep(servers);
    return servers;
  }

  /** Makes the feed begin anew. The lease proves nothing until the feed has reported the gap. */
  private void beginAnew(SyncReplFeed feed, FeedGap gap, String text) {
    lease.onGap();
    pendingGaps.incrementAndGet();
    feed.restart(gap, text);
  }

  private ScheduledFuture<?> repeat(Runnable task, Duration period) {
    long millis = period.toMillis();
    return feedContext
        .loop()
        .scheduleAtFixedRate(
            new GuardedTask("feed of " + context, task), 0, millis, TimeUnit.MILLISECONDS);
  }

  /**
   * Returns the identity of the feed, equal at the next start: kind, context, account and servers.
   */
  private String name() {
    List<String> servers =
        feedContext.upstream().get().servers().stream()
            .map(one -> one.address().toString())
            .sorted()
            .toList();
    return String.join("\n", kind.name(), context, feedContext.account().dn(), servers.toString());
  }

  private long shown(long askedNanos) {
    return domain.committedUntil(askedNanos);
  }

  private void tick() {
    leaseRenewer.run();
    rightsWatermark.run();
    proof.run();
    if (needsAliasCount()) {
      aliases.run();
    }
    boolean live = domain.state() == DomainState.LIVE;
    watch.check(live);
    coverageWatch.check(live);
    post(() -> coverageMemory.update(rights.rules()));
  }

  /** True if the number of aliases is useful; in other cases no result could use it. */
  private boolean needsAliasCount() {
    return (feedContext.config().assumesCoverage() || isCovered())
        && profile.kind() == ServerKind.OPENLDAP;
  }

  /** True if access rules prove that the account sees everything. */
  private boolean isCovered() {
    return proof.isProved() && !domain.isRefuted();
  }

  private @Nullable String gapOfRules() {
    if (kind != FeedKind.SYNCREPL) {
      return "access rules do not prove what the log contains";
    }
    String gap = rights.gap();
    boolean known = gap != null || rightsWatermark.isWatched(System.nanoTime());
    return known ? gap : "cn=config has not been read recently";
  }

  /** Returns the proof that the account sees everything, or what is missing. */
  private CoverageWatch.Evidence evidence() {
    String gap = feedContext.config().mustProveCoverage(kind) ? proof.gap() : null;
    int confirmedChanges = domain.confirmedChanges();
    if (!feedContext.config().mustProveCoverage(kind)) {
      return CoverageWatch.Evidence.proved(
          feedContext.config().assumesCoverage() ? "declared" : "changelog");
    }
    if (confirmedChanges >= DomainConfig.REQUIRED_CONFIRMATIONS) {
      return CoverageWatch.Evidence.proved("changes");
    }
    if (gap == null && !domain.isRefuted()) {
      return CoverageWatch.Evidence.proved("rules");
    }
    String reason = gap == null ? "its server has not reported a change" : gap;
    return CoverageWatch.Evidence.missing(confirmedChanges, reason);
  }

  private RightsWatch.Config rightsContext() {
    return new RightsWatch.Config(
        context,
        feedContext.config().maxAclStaleness(),
        account(),
        () -> readers.current(obstacle() == null),
        this::obstacle,
        grant(),
        this::derive,
        this::reached);
  }

  private ReadGrant grant() {
    byte[] account = feedContext.account().dn().getBytes(StandardCharsets.UTF_8);
    return new ReadGrant(account, dn -> NormalDn.of(dn, profile), feedContext.secret());
  }

  /**
   * Returns why access rights cannot be watched, even if everything can be read; null if they can.
   */
  private @Nullable String obstacle() {
    if (profile.kind() != ServerKind.OPENLDAP) {
      return "the server does not publish its access rules";
    }
    String unknown =
        "".equals(account()) ? "the identity of Stoa's service account is unknown" : null;
    return feedContext.servers().areAddressesKnown()
        ? unknown
        : "servers are found by DNS, and may change";
  }

  private @Nullable String account() {
    return feedContext.upstream().get().account();
  }

  /**
   * Returns the receiver of applied changes. Only when a change is applied it is known whether its
   * transaction may be open.
   */
  private Consumer<Change> rules(SyncContext sync) {
    ChangeRules rules =
        new ChangeRules(rightsWatermark, () -> derived, rights::groups, sync.context());
    return change -> {
      aliases.onChange(change);
      rules.accept(change);
    };
  }

  /** Called when derived attributes have changed, or names are compared in another way. */
  private void derive() {
    derived = DerivedAttributes.of(rights.derived(), profile.evaluationSchema());
    domain.flush();
  }

  private DomainConfig domainConfig(SyncContext sync) {
    return new DomainConfig(
        sync.context(),
        dn -> NormalDn.of(dn, profile),
        sync.secret(),
        DomainConfig.SETTLE,
        DomainConfig.RING,
        feedContext.config().mustProveCoverage(kind) ? DomainConfig.REQUIRED_CONFIRMATIONS : 0,
        proof::isProved,
        kind,
        rightsWatermark::oldest);
  }

  private ReadIndex readIndex() {
    return new ReadIndex(feedContext.loop(), lease, leaseRenewer, margin, System::nanoTime);
  }

  private DomainContext domainContext() {
    return new DomainContext(
        loop, System::nanoTime, freshnessGuarantee(), lease::onApplied, source.reader());
  }

  private FreshnessGuarantee freshnessGuarantee() {
    return new FreshnessGuarantee(
        lease::isLive,
        feedContext.config().isInPlace() ? lease::hasReached : null,
        feedContext.config().isStrict() ? new PerReadProof() : null);
  }

  /** Proves freshness for each request separately (cache.maxStaleness 0). */
  private final class PerReadProof implements FreshnessGuarantee.Proof {
    @Override
    public boolean isProved(long received) {
      return lease.hasReached(received);
    }

    @Override
    public void await(long received, Consumer<Boolean> receiver) {
      ReadIndex each = reads;
      if (each == null) {
        receiver.accept(false);
      } else {
        each.await(received, receiver);
      }
    }
  }

  private void probed(Position position) {
    post(() -> domain.onProbed(position));
  }

  private void reached(Consumer<Position> found) {
    post(() -> domain.findReachedPosition(found));
  }

  private void post(Runnable task) {
    try {
      task.run();
    } catch (RejectedExecutionException e) {
      LOG.debug("the feed of {} is closed", context, e);
    }
  }

  private void ask(Object server, Consumer<Position> receiver) {
    RestartWatch restartWatch = restarts;
    if (restartWatch == null || !(server instanceof Backend backend)) {
      position(server, receiver);
    } else if (backend.isPrimary()) {
      ProvedPosition both = new ProvedPosition(receiver);
      restartWatch.verify(backend, both::onProved);
      position(backend, both::onPosition);
    } else {
      restartWatch.verify(
          backend, proved -> receiver.accept(proved ? lease.applied() : Position.NONE));
    }
  }

  private void position(Object server, Consumer<Position> receiver) {
    Consumer<Position> both =
        position -> {
          receiver.accept(position);
          probed(position);
        };
    if (domain.isFeedServer(server)) {
      source.requestPosition(position -> feedContext.deliver(context, position, both));
    } else {
      feedContext.requestPosition(server, context, both);
    }
  }

  /** Decodes names and entries by the current schema. */
  private final class CurrentSchema implements SyncContext.Rules {
    @Override
    public NormalDn name(byte[] dn) {
      return NormalDn.of(dn, profile);
    }

    @Override
    public Image image(SearchEntry entry) {
      return Image.of(entry, true, profile);
    }
  }

  /** Passes on the events of the feed, and applies their effects on the lease. */
  private final class FeedListener implements FeedSink {
    @Override
    public void onChange(Change change) {
      aliases.onChange(change);
      queueLimit.onChange(change);
      feedContext.onChange().run();
    }

    @Override
    public void onCovered(Position position) {
      queueLimit.onCovered(position);
    }

    /**
     * Breaks the lease until the domain has applied the gap. Proofs from before do not hold after
     * it.
     */
    @Override
    public void onGap(FeedGap gap) {
      lease.onGap();
      aliases.onInterrupted();
      queueLimit.onGap(gap);
      feedContext.onChange().run();
      for (int ended = pendingGaps.getAndSet(0); ended >= 0; ended--) {
        loop.execute(lease::onGapApplied);
      }
      loop.execute(rightsWatermark::onGap); // after all changes reported before
      loop.execute(aliases::onInterrupted);
    }

    @Override
    public void onLive(Position position) {
      Backend server = feedContext.servers().byName(source.status().server());
      domain.setFeedServer(server);
      queueLimit.onLive(position);
      proof.onLive();
      // after the domain knows which changes the server may not show yet
      loop.execute(aliases::onLive);
      leaseRenewer.hurry();
      rights.run(System::nanoTime);
    }

    @Override
    public void onLost(String reason) {
      domain.setFeedServer(null);
      proof.onInterrupted();
      aliases.onInterrupted();
      queueLimit.onLost(reason);
      RestartWatch restartWatch = restarts;
      if (restartWatch != null && pendingGaps.get() == 0 && !restartWatch.provesClocks()) {
        beginAnew((SyncReplFeed) source, FeedGap.CLOCK_SET_BACK, reason);
      }
      loop.execute(aliases::onInterrupted); // in case live was queued and has not run yet
    }
  }

  /** Returns the coverage of this feed, with the rules to compare names and evaluate filters. */
  FeedCoverage feedCoverage() {
    ServerProfile now = profile;
    Object only = feedContext.servers().singleServer();
    return new FeedCoverage(
        domain,
        feedContext.loop(),
        now,
        derived,
        rightsWatermark,
        aliases::hasNoAlias,
        () -> rightsWatermark.isWatched(System.nanoTime()),
        only);
  }

  /** Returns why entries may differ from those in the databases; null if they are proved equal. */
  @Nullable String nonLocalReason() {
    return rights.foreign(System.nanoTime());
  }

  /** Sets the schema. If it has changed, all results of the domain are invalidated. */
  void setSchema(ServerProfile next) {
    if (!next.equals(profile)) {
      profile = next;
      derive();
    }
  }

  /** Called when a server of the directory was removed, perhaps the one of the feed. */
  void onServersChanged() {
    source.onServersChanged();
  }

  FeedKind kind() {
    return kind;
  }

  /** Returns a reader with the feed's account. */
  PrivilegedReader reader() {
    return source.reader();
  }

  String context() {
    return context;
  }

  byte[] base() {
    return context.getBytes(StandardCharsets.UTF_8);
  }

  DomainReport report() {
    long proved = lease.asOf();
    boolean rests = proved != CoherenceLease.NEVER && domain.isSettled();
    long age = rests ? System.nanoTime() - proved : -1;
    DomainStatus status = domain.status();
    FeedKind present = source.kind();
    String mode = (present == null ? kind : present).name().toLowerCase(Locale.ROOT);
    return new DomainReport(
        context,
        mode,
        source.status(),
        status,
        age,
        lease.bound(),
        margin.getAsLong(),
        status.state() == DomainState.LIVE ? watch.lapse() : "",
        evidence().toString(),
        rights.state(),
        rightsWatermark.revocations(),
        rightsWatermark.derivations());
  }

  /** Closes the feed on its own thread, so that the caller does not wait. */
  void retire() {
    loop.execute(this::close);
  }

  @Override
  public void close() {
    turnTask.cancel(false);
    rightsTask.cancel(false);
    post(
        () ->
            coverageMemory.update(rights.rules())); // the last changes count at the next start, too
    queueLimit.close(); // first, otherwise the feed might wait for the thread that closes it
    source.close();
    readers.close();
    if (restarts != null) {
      restarts.close();
    }
    loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }
}

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
import io.stoa.coherence.invalidation.RealmConfig;
import io.stoa.coherence.invalidation.RealmReport;
import io.stoa.coherence.invalidation.RealmState;
import io.stoa.coherence.invalidation.RealmStatus;
import io.stoa.coherence.rights.AliasWatch;
import io.stoa.coherence.rights.AliasWatch.Settling;
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
import io.stoa.feed.syncrepl.SyncTerms;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerKind;
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
  private final FeedTerms terms;
  private final EventExecutor own;
  private final LongSupplier margin;
  private final CoherenceLease lease;
  private final FeedKind kind;
  private final FeedSource source;
  private final CoherenceDomain realm;
  private final ApplyQueueLimit backlog;
  private final LeaseRenewer prober;
  private final LeaseWatch watch;
  private final RightsReaders readers;
  private final RightsWatch rights;
  private final RightsWatermark horizon;
  private final AliasWatch aliases;
  private final CoverageProof proof;
  private final CoverageWatch coverage;
  private final ToldMemory memory;
  private final @Nullable ReadIndex reads;
  private final @Nullable RestartWatch restarts;

  /** Number of lease gaps begun by {@link #begin} that end when the feed has reported a gap. */
  private final AtomicInteger held = new AtomicInteger();

  private final ScheduledFuture<?> turns;
  private final ScheduledFuture<?> looks;

  private volatile DirectorySchema known;
  private volatile DerivedAttributes derived;

  /**
   * Creates and starts a feed.
   *
   * @param context the DN of the naming context, as the directory spells it
   * @param kind the kind of the feed
   */
  NamingContextFeed(String context, FeedKind kind, FeedTerms terms, DirectorySchema known) {
    this.kind = kind;
    this.context = context;
    this.terms = terms;
    this.known = known;
    DerivedConfig declared = terms.config().derived();
    this.derived = DerivedAttributes.of(declared, known.rules());
    this.own = new DefaultEventExecutor(new DefaultThreadFactory("stoa-realm", true));
    this.margin = terms.margin(kind);
    this.lease = new CoherenceLease(terms.config().maxStaleness(), margin);
    SyncTerms sync =
        new SyncTerms(
            terms.positionName(context),
            terms.config().feed().refreshLimit(),
            terms.secret(),
            new Present(),
            System::nanoTime);
    this.source = FeedSource.of(kind, context, terms, sync, new Heard());
    Duration patience = terms.config().maxAclStaleness();
    this.horizon = new RightsWatermark(patience, RealmConfig.SETTLE, this::shown, System::nanoTime);
    this.readers = new RightsReaders(terms, source.reader());
    this.rights = new RightsWatch(watched(), horizon, source.reader(), declared);
    Settling settling =
        new Settling(RealmConfig.SETTLE.toNanos(), this::shown, lease::reaches, this::reached);
    this.aliases = new AliasWatch(base(), source.reader(), horizon, settling, System::nanoTime);
    this.proof = new CoverageProof(base(), source.reader(), this::gapOfRules, System::nanoTime);
    this.realm = new CoherenceDomain(realmConfig(sync), ties(), rules(sync));
    this.backlog = new ApplyQueueLimit(realm.feed(), own);
    this.restarts = watchRestarts();
    this.prober = new LeaseRenewer(terms.loop(), this::asked, this::ask, lease, System::nanoTime);
    this.reads = terms.config().strict() ? readIndex() : null;
    this.watch = new LeaseWatch(context, lease, margin, prober.interval(), System::nanoTime);
    this.coverage = new CoverageWatch(context, this::evidence, System::nanoTime);
    this.memory = new ToldMemory(terms.kept(), name(), realm);
    watch.explain(this::unproved);
    this.turns = repeat(this::turn, prober.interval());
    this.looks = repeat(() -> rights.turn(System::nanoTime), rights.interval());
    start();
  }

  private @Nullable RestartWatch watchRestarts() {
    return source instanceof FeedSource.Sync by
        ? new RestartWatch(terms, context, (why, text) -> begin(by, why, text))
        : null;
  }

  private void start() {
    if (restarts == null) {
      source.start();
    } else {
      restarts.begin(terms.servers().watched(), () -> post(source::start));
    }
  }

  /**
   * Returns why a server is not proved to be the same process, for administrators; empty if it is.
   */
  private String unproved(Object server) {
    return restarts == null ? "" : restarts.why(server);
  }

  private Set<Backend> asked() {
    RestartWatch watched = restarts;
    if (watched == null) {
      return terms.servers().writable();
    }
    Set<Backend> all = terms.servers().watched();
    watched.keep(all);
    return all;
  }

  /** Makes the feed begin anew. The lease proves nothing until the feed has reported the gap. */
  private void begin(FeedSource.Sync by, FeedGap why, String text) {
    lease.broken();
    held.incrementAndGet();
    by.feed().anew(why, text);
  }

  private ScheduledFuture<?> repeat(Runnable task, Duration period) {
    long millis = period.toMillis();
    return terms
        .loop()
        .scheduleAtFixedRate(new GuardedTask(task), 0, millis, TimeUnit.MILLISECONDS);
  }

  /**
   * Returns the identity of the feed, equal at the next start: kind, context, account and servers.
   */
  private String name() {
    List<String> servers =
        terms.upstream().get().servers().stream()
            .map(one -> one.address().toString())
            .sorted()
            .toList();
    return String.join("\n", kind.name(), context, terms.account().dn(), servers.toString());
  }

  private long shown(long askedNanos) {
    return realm.shown(askedNanos);
  }

  private void turn() {
    prober.turn();
    horizon.turn();
    proof.turn();
    if (countsAliases()) {
      aliases.turn();
    }
    boolean live = realm.state() == RealmState.LIVE;
    watch.turn(live);
    coverage.turn(live);
    post(() -> memory.turn(rights.rules()));
  }

  /** True if the number of aliases is useful; in other cases no result could use it. */
  private boolean countsAliases() {
    return (terms.config().seesAll() || isCovered())
        && known.profile().kind() == ServerKind.OPENLDAP;
  }

  /** True if access rules prove that the account sees everything. */
  private boolean isCovered() {
    return proof.isProved() && !realm.isRefuted();
  }

  private @Nullable String gapOfRules() {
    if (kind != FeedKind.SYNCREPL) {
      return "rules of access do not say what its log leaves out";
    }
    String gap = rights.gap();
    boolean known = gap != null || horizon.isWatched(System.nanoTime());
    return known ? gap : "cn=config has not been read lately";
  }

  /** Returns the proof that the account sees everything, or what is missing. */
  private CoverageWatch.Evidence evidence() {
    String gap = terms.config().proves(kind) ? proof.gap() : null;
    int told = realm.told();
    if (!terms.config().proves(kind)) {
      return CoverageWatch.Evidence.proved(terms.config().seesAll() ? "declared" : "told");
    }
    if (told >= RealmConfig.PROOFS) {
      return CoverageWatch.Evidence.proved("changes");
    }
    if (gap == null && !realm.isRefuted()) {
      return CoverageWatch.Evidence.proved("rules");
    }
    String why = gap == null ? "its server has left out a change" : gap;
    return CoverageWatch.Evidence.missing(told, why);
  }

  private RightsWatch.Terms watched() {
    return new RightsWatch.Terms(
        context,
        terms.config().maxAclStaleness(),
        account(),
        () -> readers.now(obstacle() == null),
        this::obstacle,
        grant(),
        this::derive,
        this::reached);
  }

  private ReadGrant grant() {
    byte[] account = terms.account().dn().getBytes(StandardCharsets.UTF_8);
    return new ReadGrant(account, dn -> known.name(dn), terms.secret());
  }

  /**
   * Returns why access rights cannot be watched, even if everything can be read; null if they can.
   */
  private @Nullable String obstacle() {
    if (known.profile().kind() != ServerKind.OPENLDAP) {
      return "this server does not say from what they follow";
    }
    String unknown = "".equals(account()) ? "it is not known as whom Stoa acts for clients" : null;
    return terms.servers().areNamed() ? unknown : "answers come from servers that a domain names";
  }

  private @Nullable String account() {
    return terms.upstream().get().account();
  }

  /**
   * Returns the receiver of applied changes. Only when a change is applied it is known whether its
   * transaction may be open.
   */
  private Consumer<Change> rules(SyncTerms sync) {
    ChangeRules rules = new ChangeRules(horizon, () -> derived, rights::groups, sync.context());
    return change -> {
      aliases.told(change);
      rules.accept(change);
    };
  }

  /** Called when derived attributes have changed, or names are compared in another way. */
  private void derive() {
    derived = DerivedAttributes.of(rights.derived(), known.rules());
    realm.flush();
  }

  private RealmConfig realmConfig(SyncTerms sync) {
    return new RealmConfig(
        sync.context(),
        dn -> known.name(dn),
        sync.secret(),
        RealmConfig.SETTLE,
        RealmConfig.RING,
        terms.config().proves(kind) ? RealmConfig.PROOFS : 0,
        proof::isProved,
        kind,
        horizon::oldest);
  }

  private ReadIndex readIndex() {
    return new ReadIndex(terms.loop(), lease, prober, margin, System::nanoTime);
  }

  private DomainContext ties() {
    return new DomainContext(own, System::nanoTime, reliance(), lease::applied, source.reader());
  }

  private FreshnessGuarantee reliance() {
    return new FreshnessGuarantee(
        lease::live,
        terms.config().inPlace() ? lease::reaches : null,
        terms.config().strict() ? new EachRead() : null);
  }

  /** Proves freshness for each request separately (cache.maxStaleness 0). */
  private final class EachRead implements FreshnessGuarantee.Proof {
    @Override
    public boolean isThere(long received) {
      return lease.reaches(received);
    }

    @Override
    public void await(long received, Consumer<Boolean> told) {
      ReadIndex each = reads;
      if (each == null) {
        told.accept(false);
      } else {
        each.await(received, told);
      }
    }
  }

  private void probed(Position position) {
    post(() -> realm.probed(position));
  }

  private void reached(Consumer<Position> found) {
    post(() -> realm.reached(found));
  }

  private void post(Runnable task) {
    try {
      task.run();
    } catch (RejectedExecutionException e) {
      LOG.debug("{} is not followed any more", context, e);
    }
  }

  private void ask(Object server, Consumer<Position> told) {
    RestartWatch watched = restarts;
    if (watched == null || !(server instanceof Backend backend)) {
      position(server, told);
    } else if (backend.primary()) {
      ProvedPosition both = new ProvedPosition(told);
      watched.verify(backend, both::proved);
      position(backend, both::position);
    } else {
      watched.verify(backend, proved -> told.accept(proved ? lease.applied() : Position.NONE));
    }
  }

  private void position(Object server, Consumer<Position> told) {
    Consumer<Position> both =
        position -> {
          told.accept(position);
          probed(position);
        };
    if (realm.isHome(server)) {
      source.ask(both);
    } else {
      terms.ask(server, context, both);
    }
  }

  /** Decodes names and entries by the current schema. */
  private final class Present implements SyncTerms.Rules {
    @Override
    public NormalDn name(byte[] dn) {
      return known.name(dn);
    }

    @Override
    public Image image(SearchEntry entry) {
      return known.image(entry);
    }
  }

  /** Passes on the events of the feed, and applies their effects on the lease. */
  private final class Heard implements FeedSink {
    @Override
    public void change(Change change) {
      aliases.told(change);
      backlog.change(change);
      terms.told().run();
    }

    @Override
    public void covered(Position position) {
      backlog.covered(position);
    }

    /**
     * Breaks the lease until the domain has applied the gap. Proofs from before do not hold after
     * it.
     */
    @Override
    public void gap(FeedGap why) {
      lease.broken();
      aliases.lost();
      backlog.gap(why);
      terms.told().run();
      for (int ended = held.getAndSet(0); ended >= 0; ended--) {
        own.execute(lease::revoke);
      }
      own.execute(horizon::gap); // after all changes reported before
      own.execute(aliases::lost);
    }

    @Override
    public void live(Position position) {
      Backend home = terms.servers().named(source.status().server());
      realm.home(home);
      backlog.live(position);
      proof.live();
      // after the domain knows which changes the server may not show yet
      own.execute(aliases::live);
      prober.hurry();
      rights.turn(System::nanoTime);
    }

    @Override
    public void lost(String why) {
      realm.home(null);
      proof.lost();
      aliases.lost();
      backlog.lost(why);
      RestartWatch watched = restarts;
      if (watched != null && held.get() == 0 && !watched.provesClocks()) {
        begin((FeedSource.Sync) source, FeedGap.CLOCK_SET_BACK, why);
      }
      own.execute(aliases::lost); // in case live was queued and has not run yet
    }
  }

  /** Returns the coverage of this feed, with the rules to compare names and evaluate filters. */
  FeedCoverage ground() {
    DirectorySchema now = known;
    Object only = terms.servers().only();
    return new FeedCoverage(
        realm,
        terms.loop(),
        now.profile(),
        now.rules(),
        derived,
        horizon,
        aliases::isNone,
        () -> horizon.isWatched(System.nanoTime()),
        only);
  }

  /** Returns why entries may differ from those in the databases; null if they are proved equal. */
  @Nullable String foreign() {
    return rights.foreign(System.nanoTime());
  }

  /** Sets the schema. If it has changed, the domain is flushed. */
  void know(DirectorySchema next) {
    if (!next.equals(known)) {
      known = next;
      derive();
    }
  }

  /** Called when a server of the directory was removed, perhaps the one of the feed. */
  void review() {
    source.review();
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

  RealmReport report() {
    long proved = lease.asOf();
    boolean rests = proved != CoherenceLease.NEVER && realm.isSettled();
    long age = rests ? System.nanoTime() - proved : -1;
    RealmStatus status = realm.status();
    String mode = source.kind().name().toLowerCase(Locale.ROOT);
    return new RealmReport(
        context,
        mode,
        source.status(),
        status,
        age,
        lease.bound(),
        margin.getAsLong(),
        status.state() == RealmState.LIVE ? watch.lapse() : "",
        evidence().toString(),
        horizon.revocations(),
        horizon.derivations());
  }

  /** Closes the feed on its own thread, so that the caller does not wait. */
  void retire() {
    own.execute(this::close);
  }

  @Override
  public void close() {
    turns.cancel(false);
    looks.cancel(false);
    post(() -> memory.turn(rights.rules())); // the last changes count at the next start, too
    backlog.close(); // first, otherwise the feed might wait for the thread that closes it
    source.close();
    readers.close();
    if (restarts != null) {
      restarts.close();
    }
    own.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }
}

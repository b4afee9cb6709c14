// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.coherence.freshness.CoherenceLease;
import io.stoa.coherence.freshness.LeaseRenewer;
import io.stoa.coherence.invalidation.ChangeRing.Bounds;
import io.stoa.coherence.invalidation.CoherenceDomain;
import io.stoa.coherence.invalidation.DomainConfig;
import io.stoa.coherence.invalidation.DomainStatus;
import io.stoa.coherence.rights.ChangeRules;
import io.stoa.coherence.rights.DerivedAttributes;
import io.stoa.coherence.rights.RightsGroups;
import io.stoa.coherence.rights.RightsWatermark;
import io.stoa.coherence.tracking.CoherenceDomains;
import io.stoa.coherence.tracking.FeedCoverage;
import io.stoa.coherence.view.FreshnessGuarantee;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.FeedGap;
import io.stoa.feed.event.FeedKind;
import io.stoa.feed.event.FeedSink;
import io.stoa.feed.syncrepl.SyncContext;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.operation.Operation;
import io.stoa.operation.OwnChange;
import io.stoa.sim.StatelessRandom.Stream;
import io.stoa.sim.check.Violation;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The feed of the primary, the lease, and what rests on both, put together as in a real proxy.
 * Thread-confined.
 */
final class SimDomain implements CoherenceDomains {
  /** How old may be what rests on the feed. */
  static final Duration STALENESS = Duration.ofSeconds(1);

  /** How old may be the access rules by which it was read. */
  static final Duration RIGHTS = Duration.ofSeconds(5);

  /** No CSN is pending for longer at a server, however long writes are on their way. */
  private static final long MARGIN = 20 * Faults.MILLIS;

  /** Room for a few changes only: servers that lag may not be read from then. */
  private static final Bounds SMALL =
      new Bounds(Duration.ofMillis(600), 3, Duration.ofMillis(500), 8 << 10);

  private static final int LIMIT = 1_000;
  private static final int POSITION_STREAM = 7;

  /** The number of the loop that does not wait for the realm's. */
  private static final int FREE_LOOP = 3;

  private final VirtualLoop loop;
  private final SimNotices notices;
  private final Bounds ring;
  private final SimServer primary;
  private final SimPositionReader positions;
  private final SimFeed feed;
  private final CoherenceLease lease = new CoherenceLease(STALENESS, () -> MARGIN);
  private final CoherenceDomain domain;
  private final LeaseRenewer prober;
  private final FeedCoverage coverage;

  SimDomain(VirtualTime time, Faults faults, SimDirectory directory, VirtualLoop loop) {
    this.loop = loop;
    this.primary = directory.primary();
    this.notices = directory.timeline().notices();
    notices.start(time, faults);
    this.ring = faults.draws().seed() % 3 == 0 ? SMALL : DomainConfig.RING;
    SyncContext terms =
        new SyncContext(SimNames.SUFFIX, LIMIT, type -> false, new Rules(), time::now);
    RightsWatermark watermark =
        new RightsWatermark(RIGHTS, DomainConfig.SETTLE, this::committedUntil, time::now);
    DomainConfig config =
        new DomainConfig(
            SimNames.SUFFIX,
            terms.rules()::name,
            terms.secret(),
            DomainConfig.SETTLE,
            ring,
            faults.seesAll() ? 0 : DomainConfig.REQUIRED_CONFIRMATIONS,
            () -> false,
            FeedKind.SYNCREPL,
            watermark::oldest);
    DerivedAttributes derived = DerivedAttributes.of(faults.derived(), SimSchema.RULES);
    this.domain =
        new CoherenceDomain(
            config,
            new CoherenceDomain.DomainContext(
                loop,
                time::now,
                new FreshnessGuarantee(lease::isLive, lease::hasReached, null),
                lease::onApplied,
                new SimReader(time, faults, primary, loop)),
            new ChangeRules(watermark, () -> derived, () -> RightsGroups.NONE, SimNames.SUFFIX));
    Set<SimServer> writable = Set.copyOf(directory.writable());
    this.prober = new LeaseRenewer(loop, () -> writable, this::readPosition, lease, time::now);
    this.positions = new SimPositionReader(time, faults, primary, POSITION_STREAM);
    SimSyncProvider provider = new SimSyncProvider(time, faults, primary, loop);
    SimPositionReader first = new SimPositionReader(time, faults, primary, POSITION_STREAM + 1);
    SimReader reader = new SimReader(time, faults, primary, loop);
    this.feed =
        new SimFeed(
            time, faults, provider, first, new SimFeed.FeedTarget(terms, new LeaseSink(), reader));
    boolean alone = directory.servers().size() == 1;
    this.coverage =
        new FeedCoverage(
            domain,
            new VirtualLoop(time, faults.draws().of(Stream.LOOP, FREE_LOOP)),
            SimSchema.PROFILE,
            derived,
            watermark,
            () -> false,
            () -> true,
            alone ? primary : null);
  }

  private long committedUntil(long askedNanos) {
    return domain.committedUntil(askedNanos);
  }

  /** Begins. */
  void start() {
    feed.connect();
    long period = prober.interval().toNanos();
    loop.scheduleAtFixedRate(prober::run, 0, period, TimeUnit.NANOSECONDS);
  }

  private void readPosition(Object server, Consumer<Position> receiver) {
    positions.read(
        position -> {
          if (position != null) {
            loop.execute(
                () -> {
                  receiver.accept(position);
                  domain.onProbed(position);
                });
          }
        });
  }

  /** What is known of the directory may be something else now. */
  void flush() {
    domain.flush();
  }

  /** What rests on the feed shows all that had happened by then. */
  long asOf() {
    return lease.asOf();
  }

  /** How often an answer was changed in place. */
  long updates() {
    return domain.status().updates();
  }

  /**
   * What is kept though nobody can use it, when all that rests on the feed has been flushed, and
   * one more change has come since the others are old.
   */
  List<Violation> leaks() {
    DomainStatus status = domain.status();
    boolean full = status.ringSize() > ring.minRecords() || status.ringOctets() > ring.octets();
    return status.index().isEmpty() && !full
        ? List.of()
        : List.of(new Violation(Violation.Kind.MEMORY, status.toString()));
  }

  @Override
  public FeedCoverage coverageOf(Operation read) {
    return coverage;
  }

  @Override
  public FeedCoverage coverageOf(byte[] entry) {
    return coverage;
  }

  @Override
  public Collection<FeedCoverage> writtenBy(OwnChange change) {
    return all();
  }

  @Override
  public Collection<FeedCoverage> all() {
    return List.of(coverage);
  }

  @Override
  public long rightsChanges() {
    return coverage.watermark().revocations();
  }

  /** Stateless. */
  private static final class Rules implements SyncContext.Rules {
    @Override
    public NormalDn name(byte[] dn) {
      return NormalDn.of(dn, SimSchema.PROFILE);
    }

    @Override
    public Image image(SearchEntry entry) {
      return Image.of(entry, true, SimSchema.PROFILE);
    }
  }

  /** Passes on what the feed says, and what follows from it for the lease. Thread-confined. */
  private final class LeaseSink implements FeedSink {
    @Override
    public void onChange(Change change) {
      notices.onReported(change);
      domain.feed().onChange(change);
    }

    @Override
    public void onCovered(Position position) {
      domain.feed().onCovered(position);
    }

    @Override
    public void onGap(FeedGap why) {
      domain.feed().onGap(why);
      loop.execute(lease::onGapApplied);
    }

    @Override
    public void onLive(Position position) {
      domain.setFeedServer(primary);
      domain.feed().onLive(position);
      prober.hurry();
    }

    @Override
    public void onLost(String why) {
      domain.setFeedServer(null);
      domain.feed().onLost(why);
    }
  }
}

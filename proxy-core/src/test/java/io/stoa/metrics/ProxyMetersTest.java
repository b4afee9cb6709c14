// SPDX-License-Identifier: Apache-2.0
package io.stoa.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.stoa.cache.maintenance.MaintenanceStatus;
import io.stoa.cache.maintenance.MaintenanceStatus.FullAuditState;
import io.stoa.cache.maintenance.MaintenanceStatus.FullAuditStatus;
import io.stoa.cache.result.CacheStats;
import io.stoa.cache.sharing.ClassStatus;
import io.stoa.coherence.index.IndexStats;
import io.stoa.coherence.invalidation.DomainReport;
import io.stoa.coherence.invalidation.DomainState;
import io.stoa.coherence.invalidation.DomainStatus;
import io.stoa.coherence.invalidation.Refusal;
import io.stoa.coherence.view.InvalidationCause;
import io.stoa.feed.event.FeedAbsence;
import io.stoa.feed.syncrepl.FeedStatus;
import io.stoa.feed.syncrepl.FeedStatus.Phase;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.OpType;
import io.stoa.net.tls.TlsContext;
import io.stoa.operation.OperationCounters;
import io.stoa.operation.Rejection;
import io.stoa.operation.event.ClientEvent;
import io.stoa.upstream.server.BackendState;
import io.stoa.upstream.server.BackendStatus;
import io.stoa.upstream.server.ConcurrencyLimiter;
import io.stoa.upstream.server.HedgeStats;
import io.stoa.upstream.server.ReplicaStatus;
import io.stoa.upstream.server.ServerAddress;
import io.stoa.write.WindowConfig;
import io.stoa.write.WindowConfig.Batch;
import io.stoa.write.WindowStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ProxyMetersTest {
  private static final Set<ProxyMeters> DIGESTS =
      EnumSet.of(ProxyMeters.DIGEST_SEARCHES, ProxyMeters.DIGEST_UPSTREAM);

  private static final ServerAddress FIRST = new ServerAddress("one.example.com", 389);
  private static final ServerAddress SECOND = new ServerAddress("two.example.com", 389);
  private static final CacheStats CACHE =
      new CacheStats(
          true,
          1,
          2,
          3,
          4,
          5,
          6,
          7,
          8,
          9,
          10,
          11,
          12,
          13,
          14,
          15,
          16,
          17,
          18,
          19,
          20,
          true,
          21,
          22,
          List.of(new ClassStatus("c", true, true, 61, 62, 63, 64, 65, 66, 67)));

  private static final Instant EXPIRY = Instant.ofEpochSecond(2_000_000_000);
  private static final List<TlsContext.Status> TLS =
      List.of(new TlsContext.Status(false, null, 2, 1), new TlsContext.Status(true, EXPIRY, 3, 5));

  private final OperationCounters counters = new OperationCounters();
  private static final ConcurrencyLimiter.Status CAP = new ConcurrencyLimiter.Status(9, 8, 7, 6);
  private static final ConcurrencyLimiter.Status NO_CAP = new ConcurrencyLimiter.Status(0, 0, 0, 0);
  private static final HedgeStats.Status HEDGES = new HedgeStats.Status(11, 10);
  private static final HedgeStats.Status NO_HEDGES = new HedgeStats.Status(0, 0);

  private static final DomainReport FEED = feed("dc=x", DomainState.LIVE, "");
  private static final DomainReport FEED_OF_ANOTHER = feed("dc=z", DomainState.LIVE, "too late");

  private static DomainReport feed(String context, DomainState state, String lapse) {
    return new DomainReport(
        context,
        "syncrepl",
        new FeedStatus(context, Phase.LIVE, "s", Position.NONE, "", 41, 42, 43),
        new DomainStatus(
            state,
            Position.NONE,
            44,
            45,
            46,
            47,
            Map.of(Refusal.STALE, 48L),
            Map.of(InvalidationCause.CHANGE, 49L),
            50,
            51,
            55_000_000_000L,
            new IndexStats(52, 0, 0, 0, 0, 0),
            53,
            54,
            55,
            56,
            57,
            58,
            59,
            60),
        2_000_000_000,
        Duration.ofSeconds(2),
        3_000_000_000L,
        lapse,
        "rules",
        "watched",
        71,
        72);
  }

  private static final FeedAbsence OLD = new FeedAbsence("o=old", "why not", Duration.ofSeconds(5));

  private static final MaintenanceStatus MAINTENANCE =
      new MaintenanceStatus(
          61,
          62,
          63,
          64,
          65,
          66,
          67,
          List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L),
          new FullAuditStatus(FullAuditState.DONE, 1, 2, 3, 4, 5, 6));

  private static final WindowConfig WINDOW =
      new WindowConfig("w", null, null, Duration.ofSeconds(1), 64, Batch.SINGLE, false);

  private final AtomicReference<ProxyStatus> status = new AtomicReference<>(status(true));
  private final ProxyNumbers numbers = new ProxyNumbers(counters, status::get);
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final FeedMeters feeds = new FeedMeters(numbers);
  private final ResultMeters results = new ResultMeters(numbers);

  @BeforeEach
  void bind() {
    new ClientMeters(numbers).bindTo(registry);
    results.bindTo(registry);
    new CacheMeters(numbers).bindTo(registry);
    new TlsMeters(numbers, List::of).bindTo(registry);
    new UpstreamMeters(numbers, List.of(FIRST, SECOND)).bindTo(registry);
    new WindowMeters(numbers).bindTo(registry);
    feeds.bindTo(registry);
    new MaintenanceMeters(numbers).bindTo(registry);
    new SharingClassMeters(numbers).bindTo(registry);
  }

  private static ProxyStatus status(boolean ready) {
    return status(ready, List.of(FEED));
  }

  private static ProxyStatus status(boolean ready, List<DomainReport> fed) {
    return status(ready, fed, List.of(OLD));
  }

  private static ProxyStatus status(
      boolean ready, List<DomainReport> fed, List<FeedAbsence> unfed) {
    ReplicaStatus lags = new ReplicaStatus("p", 2000, true, 6);
    BackendStatus first =
        new BackendStatus(
            FIRST,
            true,
            BackendState.UP,
            "",
            1,
            1,
            0,
            0,
            3,
            3,
            2,
            CAP,
            HEDGES,
            100,
            20,
            9,
            1,
            2,
            lags);
    ReplicaStatus unknown = ReplicaStatus.UNKNOWN;
    BackendStatus second =
        new BackendStatus(
            SECOND,
            false,
            BackendState.DOWN,
            "",
            1,
            1,
            0,
            0,
            0,
            0,
            0,
            NO_CAP,
            NO_HEDGES,
            50,
            5,
            0,
            4,
            0,
            unknown);
    return new ProxyStatus(
        ready,
        ready ? "" : "down",
        7,
        20,
        6,
        5,
        4,
        9,
        3,
        2,
        41,
        8,
        CACHE,
        TLS,
        List.of(first, second),
        100,
        10,
        1,
        List.of(),
        List.of(),
        List.of(),
        List.of(),
        List.of(new WindowStatus(WINDOW, 31, false, true, 32, 33, 34, 35, 36)),
        fed,
        fed.stream().anyMatch(feed -> feed.context().equals("o=old")) ? List.of() : unfed,
        MAINTENANCE);
  }

  /** The server collects histograms and digests without a binder. */
  @Test
  void metersAreBoundAsDescribed() {
    for (ProxyMeters meter : ProxyMeters.values()) {
      if (meter.isHistogram() || DIGESTS.contains(meter)) {
        continue;
      }
      Collection<Meter> bound = registry.find(meter.meterName()).meters();
      assertThat(bound).as(meter.meterName()).isNotEmpty();
      for (Meter one : bound) {
        assertThat(one.getId().getType()).as(meter.meterName()).isEqualTo(meter.type());
        assertThat(one.getId().getBaseUnit()).isEqualTo(meter.unit());
        assertThat(one.getId().getDescription()).isEqualTo(meter.meaning());
        assertThat(one.getId().getTags())
            .extracting(io.micrometer.core.instrument.Tag::getKey)
            .containsExactlyInAnyOrderElementsOf(meter.tags());
      }
    }
  }

  @Test
  void everyBoundMeterIsDescribed() {
    List<String> described =
        List.of(ProxyMeters.values()).stream().map(ProxyMeters::meterName).toList();
    assertThat(registry.getMeters()).extracting(m -> m.getId().getName()).isSubsetOf(described);
    assertThat(described).doesNotHaveDuplicates();
  }

  @Test
  void theNumberOfMetersIsLimited() {
    assertThat(registry.getMeters()).hasSizeLessThan(320);
  }

  @Test
  void certificateMetersAreCurrent() {
    String expiry = "stoa.tls.certificate.expiry.timestamp";
    assertThat(value(expiry, "shown_to", "clients")).isEqualTo(EXPIRY.getEpochSecond());
    assertThat(registry.get(expiry).tag("shown_to", "servers").gauge().value()).isNaN();
    assertThat(value("stoa.tls.certificate.reloads", "outcome", "success")).isEqualTo(5);
    assertThat(value("stoa.tls.certificate.reloads", "outcome", "failure")).isEqualTo(6);
  }

  @Test
  void countersAreCurrent() {
    counters.received().increment(OpType.SEARCH_REQUEST);
    counters.countRejection(OpType.SEARCH_REQUEST, Rejection.QUEUE_FULL);
    assertThat(value("stoa.operations.received", "operation", "search")).isOne();
    assertThat(value("stoa.operations.received", "operation", "bind")).isZero();
    assertThat(value("stoa.operations.rejected", "reason", "queue_full")).isOne();
  }

  @Test
  void resultCodesAppearWhenTheyOccur() {
    counters.countFailure(OpType.SEARCH_REQUEST, 32);
    counters.completed().increment(OpType.SEARCH_REQUEST);
    counters.completed().increment(OpType.SEARCH_REQUEST);
    results.bindTo(registry);
    String name = "stoa.results.sent";
    assertThat(value(name, "operation", "search", "result", "success")).isOne();
    assertThat(value(name, "operation", "search", "result", "noSuchObject")).isOne();
    assertThat(value(name, "operation", "bind", "result", "invalidCredentials")).isZero();
    assertThat(registry.find(name).tag("result", "busy").meters()).isEmpty();
    assertThat(registry.find(name).tag("operation", "unbind").meters()).isEmpty();
  }

  @Test
  void gaugesShowTheLastRefresh() {
    assertThat(value("stoa.ready")).isOne();
    status.set(status(false));
    assertThat(value("stoa.ready")).isOne();
    numbers.refresh();
    assertThat(value("stoa.ready")).isZero();
  }

  @Test
  void feedsHaveMeters() {
    assertThat(value("stoa.feed.live", "context", "dc=x")).isOne();
    assertThat(value("stoa.feed.lapsed", "context", "dc=x")).isZero();
    assertThat(value("stoa.feed.lease.age", "context", "dc=x")).isEqualTo(2);
    assertThat(value("stoa.feed.margin", "context", "dc=x")).isEqualTo(3);
    assertThat(value("stoa.feed.changes", "context", "dc=x")).isEqualTo(44);
    assertThat(value("stoa.feed.gaps", "context", "dc=x")).isEqualTo(46);
    assertThat(value("stoa.feed.fills.admitted", "context", "dc=x")).isEqualTo(47);
    assertThat(value("stoa.feed.fills.refused", "context", "dc=x", "cause", "stale")).isEqualTo(48);
    assertThat(value("stoa.feed.fills.refused", "context", "dc=x", "cause", "not_comparable"))
        .isZero();
    assertThat(value("stoa.feed.invalidations", "context", "dc=x", "cause", "change"))
        .isEqualTo(49);
    assertThat(value("stoa.feed.ring", "context", "dc=x")).isEqualTo(50);
    assertThat(value("stoa.feed.views", "context", "dc=x")).isEqualTo(52);
    assertThat(value("stoa.feed.unproved", "context", "dc=x")).isEqualTo(53);
    assertThat(value("stoa.feed.misses", "context", "dc=x")).isEqualTo(54);
    assertThat(value("stoa.feed.incoherent", "context", "dc=x")).isEqualTo(60);
    assertThat(states("dc=x")).containsExactly("live");
    assertThat(states("o=old")).containsExactly("none");
    assertThat(registry.find("stoa.feed.live").tag("context", "o=old").gauge()).isNull();
  }

  /** Which state is 1, and no other. */
  private List<String> states(String context) {
    return registry.find("stoa.feed.state").tag("context", context).gauges().stream()
        .filter(gauge -> gauge.value() != 0)
        .map(gauge -> String.valueOf(gauge.getId().getTag("state")))
        .toList();
  }

  @Test
  void aLostFeedHasItsState() {
    status.set(status(true, List.of(feed("dc=x", DomainState.SUSPENDED, ""), FEED_OF_ANOTHER)));
    refresh();
    assertThat(states("dc=x")).containsExactly("suspended");
    assertThat(states("dc=z")).containsExactly("lapsed");
    assertThat(value("stoa.feed.live", "context", "dc=x")).isZero();
    assertThat(value("stoa.feed.lapsed", "context", "dc=x")).isZero();
    assertThat(value("stoa.feed.lapsed", "context", "dc=z")).isOne();
  }

  @Test
  void metersFollowTheNamingContexts() {
    status.set(status(true, List.of(FEED_OF_ANOTHER)));
    refresh();
    assertThat(states("dc=x")).isEmpty();
    assertThat(registry.find("stoa.feed.changes").tag("context", "dc=x").meters()).isEmpty();
    assertThat(value("stoa.feed.changes", "context", "dc=z")).isEqualTo(44);
    status.set(status(true, List.of(feed("o=old", DomainState.LIVE, ""))));
    refresh();
    assertThat(states("o=old")).containsExactly("live");
    assertThat(value("stoa.feed.live", "context", "o=old")).isOne();
    status.set(status(true, List.of()));
    refresh();
    assertThat(states("o=old")).containsExactly("none");
    assertThat(registry.find("stoa.feed.live").meters()).isEmpty();
  }

  @Test
  void contextsWithoutAFeedAreLimited() {
    List<FeedAbsence> many =
        IntStream.range(0, 50)
            .mapToObj(i -> new FeedAbsence("o=" + i, "why not", Duration.ofSeconds(5)))
            .toList();
    status.set(status(true, List.of(FEED), many));
    refresh();
    assertThat(states("dc=x")).containsExactly("live");
    assertThat(states("o=15")).containsExactly("none");
    assertThat(states("o=16")).isEmpty();
  }

  private void refresh() {
    numbers.refresh();
    feeds.bindTo(registry);
  }

  @Test
  void statusAndCachesHaveMeters() {
    assertThat(value("stoa.connections")).isEqualTo(7);
    assertThat(value("stoa.connections.max")).isEqualTo(20);
    assertThat(value("stoa.filter.cache.hits")).isEqualTo(CACHE.filterHits());
    assertThat(value("stoa.entry.cache.misses")).isEqualTo(CACHE.entryMisses());
    assertThat(value("stoa.compare.cache.hits")).isEqualTo(CACHE.compareHits());
    assertThat(value("stoa.cache.memory")).isEqualTo(CACHE.bytes());
    assertThat(value("stoa.cache.invalidations")).isEqualTo(CACHE.invalidations());
  }

  @Test
  void searchesOfCnMonitorCountAsBypassed() {
    counters.events().increment(ClientEvent.OWN_SEARCH);
    assertThat(value("stoa.searches.bypassed")).isEqualTo(CACHE.bypassed() + 1);
  }

  @Test
  void eachServerHasItsOwnMeters() {
    assertThat(value("stoa.upstream.up", "server", FIRST.toString())).isOne();
    assertThat(value("stoa.upstream.up", "server", SECOND.toString())).isZero();
    assertThat(value("stoa.upstream.lag", "server", FIRST.toString())).isEqualTo(2);
    assertThat(value("stoa.upstream.lag", "server", SECOND.toString())).isZero();
    assertThat(value("stoa.upstream.behind", "server", FIRST.toString())).isOne();
    assertThat(value("stoa.upstream.uncovered", "server", FIRST.toString())).isEqualTo(6);
    assertThat(value("stoa.upstream.operations", "server", SECOND.toString())).isEqualTo(50);
    assertThat(value("stoa.upstream.connections.lost", "server", SECOND.toString())).isEqualTo(4);
  }

  private long value(String name, String... tags) {
    return Math.round(registry.get(name).tags(tags).meter().measure().iterator().next().getValue());
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stoa.cache.ghost.CurveStatus;
import io.stoa.cache.ghost.CurveStatus.SizePoint;
import io.stoa.cache.maintenance.MaintenanceStatus;
import io.stoa.cache.maintenance.MaintenanceStatus.FullAuditState;
import io.stoa.cache.maintenance.MaintenanceStatus.FullAuditStatus;
import io.stoa.cache.result.CacheStats;
import io.stoa.cache.sharing.ClassStatus;
import io.stoa.client.listener.ListenerConfig;
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
import io.stoa.ldap.protocol.FilterNode;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.metrics.OperationKind;
import io.stoa.metrics.ProxyStatus;
import io.stoa.net.peer.Peer;
import io.stoa.operation.OperationCounters;
import io.stoa.operation.digest.DigestStatus;
import io.stoa.operation.digest.DigestTable;
import io.stoa.operation.digest.SearchDigest;
import io.stoa.operation.event.CacheOutcome;
import io.stoa.operation.event.ClientStatus;
import io.stoa.proxy.advice.Advice;
import io.stoa.proxy.advice.Advice.Topic;
import io.stoa.proxy.advice.AdviceReport;
import io.stoa.server.admin.action.Action;
import io.stoa.server.admin.action.Action.ActionResult;
import io.stoa.server.admin.action.Actions;
import io.stoa.server.localtree.AnswerQueue;
import io.stoa.upstream.balancing.TierStatus;
import io.stoa.upstream.connection.ConnectionStatus;
import io.stoa.upstream.server.Backend;
import io.stoa.upstream.server.BackendConfig;
import io.stoa.upstream.server.BackendStatus;
import io.stoa.upstream.server.ServerAddress;
import io.stoa.write.WindowConfig;
import io.stoa.write.WindowConfig.Batch;
import io.stoa.write.WindowStatus;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** A tree of a Stoa with two directories and one client. Stateless. */
final class MonitorSamples {
  private static final Instant TIME = Instant.parse("2024-03-09T05:06:07Z");
  private static final CacheStats CACHE =
      new CacheStats(
          true,
          1,
          1,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          true,
          0,
          0,
          List.of(new ClassStatus("name", true, false, 2, 0, 0, 9, 3, 0, 0)));

  private static final ServerAddress SERVER = new ServerAddress("192.0.2.3", 389);

  private MonitorSamples() {}

  static MonitorTree tree(Audience audience) {
    return new MonitorTree(
        new MonitorSnapshot(
            source(),
            audience,
            new MonitorSnapshot.Details(
                List.of(client()),
                List.of(client()),
                List.of(client()),
                List.of(connection()),
                digests(),
                advice())));
  }

  private static MonitorSource source() {
    return new MonitorSource(
        counters(),
        MonitorSamples::status,
        named -> CompletableFuture.completedFuture(List.of()),
        named -> CompletableFuture.completedFuture(List.of()),
        all -> digests(),
        MonitorSamples::advice,
        () -> List.of("2024-03-09T05:06:07Z WARN Part: text"),
        session -> Audience.ANY_CLIENT,
        "Stoa",
        TimeForm.GENERALIZED,
        Clock.fixed(TIME, ZoneOffset.UTC),
        TIME,
        new SampleActions(),
        new Actions(),
        new AnswerQueue(),
        true);
  }

  private static List<DigestStatus> digests() {
    DigestTable table = new DigestTable();
    SearchDigest digest =
        table.digest(
            new SearchOp(
                "dc=y".getBytes(UTF_8),
                2,
                0,
                0,
                0,
                false,
                new FilterNode.Equality("uid".getBytes(UTF_8), new byte[] {'v'}),
                List.of()));
    digest.add(CacheOutcome.MISS, new SearchDigest.Answer(1, 1, 0), 1, 1);
    digest.addSender(Octets.EMPTY, Octets.EMPTY, 1);
    return table.status();
  }

  private static AdviceReport advice() {
    CurveStatus curve =
        new CurveStatus(
            1,
            0,
            Duration.ZERO,
            IntStream.rangeClosed(1, 5).mapToObj(size -> new SizePoint(size, 1, 1, 1, 1)).toList());
    Advice advice = new Advice(Topic.FEED, "dc=y", "evidence", List.of("change"));
    return new AdviceReport(List.of(advice), curve, curve);
  }

  private static OperationCounters counters() {
    OperationCounters counters = new OperationCounters();
    for (OperationKind kind : OperationKind.values()) {
      counters.latencies().record(kind.request(), CacheOutcome.NONE, 1, 1);
    }
    counters.failedBinds().add(Octets.of(new byte[] {(byte) 192, 0, 2, 1}), 49);
    return counters;
  }

  /** Each can do something. */
  private static final class SampleActions implements MonitorSource.EntryActions {
    private static final List<Action> SOME =
        List.of(Action.of("act", none -> new ActionResult("done")));

    @Override
    public List<Action> caches() {
      return SOME;
    }

    @Override
    public List<Action> digests() {
      return SOME;
    }

    @Override
    public List<Action> advice() {
      return SOME;
    }

    @Override
    public List<Action> maintenance() {
      return SOME;
    }

    @Override
    public List<Action> window(String name) {
      return SOME;
    }

    @Override
    public List<Action> client(long number) {
      return SOME;
    }

    @Override
    public List<Action> connection(long number) {
      return SOME;
    }

    @Override
    public List<Action> server(ServerAddress server) {
      return SOME;
    }
  }

  private static ClientStatus client() {
    Peer peer = new Peer(new InetSocketAddress("192.0.2.1", 50_000), "TLSv1.3", null, null, "");
    return new ClientStatus(
        7, peer, "ldaps://192.0.2.2:636", "cn=x,dc=y", TIME, TIME, 10, 8, 2, 1, true, false);
  }

  private static ConnectionStatus connection() {
    return new ConnectionStatus(
        5,
        SERVER,
        "regular",
        "active",
        new InetSocketAddress("192.0.2.2", 50_001),
        new InetSocketAddress("192.0.2.3", 389),
        "cn=x,dc=y",
        1,
        9,
        6);
  }

  private static ProxyStatus status() {
    BackendStatus backend = backend();
    TierStatus first = new TierStatus(1, List.of(backend));
    return new ProxyStatus(
        true,
        "",
        1,
        100,
        1,
        0,
        0,
        0,
        0,
        0,
        0,
        2,
        CACHE,
        List.of(),
        List.of(backend),
        100,
        0,
        0,
        List.of(new ListenerConfig("0.0.0.0", 389)),
        List.of(12L),
        List.of("dc=y"),
        List.of(List.of(first, new TierStatus(2, List.of(backend))), List.of(first)),
        List.of(window()),
        List.of(feed()),
        List.of(new FeedAbsence("o=old", "why not", Duration.ofSeconds(5))),
        maintenance());
  }

  static DomainReport feed() {
    return new DomainReport(
        "dc=y",
        "syncrepl",
        new FeedStatus("dc=y", Phase.CONNECTING, "ldap://s", Position.NONE, "why", 1, 2, 3),
        new DomainStatus(
            DomainState.LIVE,
            Position.of(Map.of("dc=y#000", "20261122000000.000000Z#000000#000#000000")),
            4,
            5,
            6,
            7,
            Map.of(Refusal.STALE, 8L),
            Map.of(InvalidationCause.ABORTED, 9L),
            10,
            11,
            12_000_000_000L,
            new IndexStats(13, 0, 0, 0, 0, 0),
            14,
            15,
            16,
            17,
            18,
            19,
            20,
            21),
        250_000_000,
        Duration.ofSeconds(1),
        20_000_000,
        "",
        "37 of 100 changes: why not",
        "watched",
        22,
        23);
  }

  private static MaintenanceStatus maintenance() {
    return new MaintenanceStatus(
        1,
        2,
        3,
        4,
        5,
        6,
        7,
        List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L),
        new FullAuditStatus(FullAuditState.DONE, 1, 2, 3, 4, 5, 6));
  }

  private static WindowStatus window() {
    WindowConfig config =
        new WindowConfig(
            "name", "dc=y", "cn=x,dc=y", Duration.ofMillis(200), 64, Batch.SINGLE, false);
    return new WindowStatus(config, 3, false, false, 2, 9, 4, 1, 5);
  }

  private static BackendStatus backend() {
    return new Backend(SERVER, new BackendConfig(true, false, 10, 5, 1, Duration.ZERO, 0)).status();
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.feed.connection.FeedCredentials;
import io.stoa.feed.connection.FeedServer;
import io.stoa.feed.connection.FeedTls;
import io.stoa.feed.event.Change;
import io.stoa.feed.event.FeedGap;
import io.stoa.feed.event.FeedSink;
import io.stoa.feed.event.PrivilegedReader;
import io.stoa.feed.syncrepl.FeedStatus.Phase;
import io.stoa.feed.transaction.CommitTracker;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.net.tls.TlsConfig;
import io.stoa.net.tls.TlsContext;
import io.stoa.net.tls.TlsContexts;
import io.stoa.testing.Await;
import io.stoa.testing.Certificates;
import io.stoa.testing.DelayRelay;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Slapd;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A feed against slapd, from its beginning over cuts and ends of the server to its own end. */
class FeedSupervisorIT {
  private static final String LOG = "syncprov-sessionlog 1000";

  /** How the names of all begin by which a sync search says something (RFC 4533). */
  private static final String SYNC = "1.3.6.1.4.1.4203.1.9.1";

  /** With what a search ends that does not persist. */
  private static final String SYNC_DONE = SYNC + ".3";

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private final Sink sink = new Sink();

  /** Writes down what it hears. Thread-safe. */
  private static final class Sink implements FeedSink {
    private final List<String> events = new CopyOnWriteArrayList<>();
    private volatile Position position = Position.NONE;
    private volatile Runnable atLive = () -> {};
    private volatile CountDownLatch gate = new CountDownLatch(0);

    /** Takes no change until {@link #release}. */
    void hold() {
      gate = new CountDownLatch(1);
    }

    void release() {
      gate.countDown();
    }

    @Override
    public void onChange(Change change) {
      try {
        gate.await();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
      Position with = change.receipt().cookie();
      position = with == null ? position : position.merge(with);
      events.add(change.getClass().getSimpleName() + " " + name(change));
    }

    private static String name(Change change) {
      NormalDn dn = change.dn();
      return dn == null ? "" : new String(dn.octets().array(), StandardCharsets.UTF_8);
    }

    @Override
    public void onCovered(Position f) {
      position = position.merge(f);
    }

    @Override
    public void onGap(FeedGap why) {
      events.add("gap " + why);
    }

    @Override
    public void onLive(Position f) {
      position = position.merge(f);
      atLive.run();
      events.add("live");
    }

    @Override
    public void onLost(String why) {
      events.add("lost");
    }

    void await(String line) {
      Await.until("the feed says " + line + ", not " + events, () -> events.contains(line));
    }

    void await(int live) {
      Await.until(
          "it is live again: " + events,
          () -> events.stream().filter("live"::equals).count() >= live);
    }
  }

  private FeedSupervisor feed(FeedDirectory directory, FeedServer... servers) {
    return feed(directory, () -> List.of(servers));
  }

  private FeedSupervisor feed(FeedDirectory directory, Supplier<List<FeedServer>> servers) {
    return feed(syncContext(directory.account(), Duration.ofMinutes(1)), servers);
  }

  private FeedSupervisor feed(FeedSupervisor.Config terms, Supplier<List<FeedServer>> servers) {
    FeedSupervisor feed = new SyncReplFeed(terms, SyncReplSessionTest.syncContext(), servers, sink);
    feed.start();
    return feed;
  }

  private static FeedSupervisor.Config syncContext(FeedCredentials account, Duration patience) {
    return new FeedSupervisor.Config(
        FeedDirectory.SUFFIX,
        account,
        Duration.ofSeconds(1),
        Duration.ofMillis(200),
        patience,
        10_000_000,
        new FeedStats.Bounds(Duration.ofSeconds(1), Duration.ofSeconds(5)));
  }

  private static FeedServer at(int port) {
    return FeedServer.tcp("port " + port, "127.0.0.1", port, null);
  }

  @Test
  void reportsChanges() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start(LOG);
        FeedSupervisor feed = feed(directory, directory.server())) {
      sink.await("live");
      directory.sn("cn=a,ou=p,dc=x", "new");
      sink.await("Modified cn=a,ou=p,dc=x");
      Position now = directory.position().position("dc=x");
      Await.until("the feed has come as far", () -> sink.position.covers(now));
      FeedStatus status = feed.status();
      assertThat(status.phase()).isEqualTo(Phase.LIVE);
      assertThat(status.server()).isEqualTo("slapd");
      assertThat(status.changes()).isEqualTo(1);
      assertThat(status.position()).isEqualTo(sink.position);
    }
  }

  @Test
  void reportsChangesOverALocalSocket() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start(LOG)) {
      String path =
          URLDecoder.decode(directory.slapd().ldapiUrl().substring(8), StandardCharsets.UTF_8);
      try (FeedSupervisor feed = feed(directory, FeedServer.local("ldapi", Path.of(path)))) {
        sink.await("live");
        directory.sn("cn=a,ou=p,dc=x", "new");
        sink.await("Modified cn=a,ou=p,dc=x");
        assertThat(read(feed, "dc=x", "(cn=a)")).hasSize(1);
      }
    }
  }

  @Test
  void resumesFromTheCookieOfTheCut() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start(LOG);
        DelayRelay relay = DelayRelay.to(directory.slapd().port());
        FeedSupervisor feed = feed(directory, at(relay.port()))) {
      sink.await("live");
      directory.person("cn=b,ou=p,dc=x", "b");
      sink.await("Modified cn=b,ou=p,dc=x");
      relay.cut();
      directory.admin().delete("cn=b,ou=p,dc=x");
      directory.sn("cn=a,ou=p,dc=x", "new");
      sink.await(2);
      sink.await("Modified cn=a,ou=p,dc=x");
      Await.until(
          "it says what is gone",
          () -> sink.events.stream().anyMatch(line -> line.startsWith("Deleted")));
      assertThat(sink.events).contains("lost").noneMatch(line -> line.startsWith("gap"));
      assertThat(feed.status().gaps()).isZero();
    }
  }

  /** As one that looks at each entry for what has changed meanwhile, which it never ends. */
  @Test
  void restartsIfTheServerDoesNotReportTheMissedChanges() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start(LOG);
        DelayRelay relay = DelayRelay.to(directory.slapd().port());
        FeedSupervisor feed =
            feed(
                syncContext(directory.account(), Duration.ofMillis(300)),
                () -> List.of(at(relay.port())))) {
      sink.await("live");
      relay.swallow(SYNC);
      relay.cut();
      directory.sn("cn=a,ou=p,dc=x", "meanwhile");
      sink.await("gap TIMEOUT");
      relay.swallow(null);
      sink.await(2);
      assertThat(sink.events).noneMatch(line -> line.startsWith("Modified"));
      assertThat(log.warnings())
          .hasSize(2)
          .last()
          .asString()
          .contains("index entryCSN,entryUUID eq");
      directory.sn("cn=a,ou=p,dc=x", "later");
      sink.await("Modified cn=a,ou=p,dc=x");
      assertThat(feed.status().gaps()).isEqualTo(1);
    }
  }

  /** What was counted last is shown by nothing, as if its transaction went on. */
  @Test
  void resumesAfterTheQuietTimeIfNoEntryShowsTheLastCsn() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start(LOG);
        DelayRelay relay = DelayRelay.to(directory.slapd().port());
        FeedSupervisor feed = feed(directory, () -> List.of(at(relay.port())))) {
      sink.await("live");
      directory.admin().delete("cn=a,ou=p,dc=x");
      sink.await("Deleted cn=a,ou=p,dc=x");
      assertThat(nanosUntilLive(relay, 2)).isGreaterThan(CommitTracker.PATIENCE.toNanos());
      assertThat(feed.status().gaps()).isZero();
    }
    assertThat(log.warnings()).isNotEmpty();
  }

  @Test
  void resumesAtOnceIfAnEntryShowsTheLastCsn() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start(LOG);
        DelayRelay relay = DelayRelay.to(directory.slapd().port());
        FeedSupervisor feed = feed(directory, () -> List.of(at(relay.port())))) {
      sink.await("live");
      directory.sn("cn=a,ou=p,dc=x", "new");
      sink.await("Modified cn=a,ou=p,dc=x");
      assertThat(nanosUntilLive(relay, 2)).isLessThan(CommitTracker.PATIENCE.toNanos());
      assertThat(feed.status().gaps()).isZero();
    }
    assertThat(log.warnings()).isNotEmpty();
  }

  private long nanosUntilLive(DelayRelay relay, int live) {
    long cut = System.nanoTime();
    relay.cut();
    sink.await(live);
    return System.nanoTime() - cut;
  }

  /**
   * A transaction may have been under way when it went on, so that it asks twice; that others write
   * meanwhile is no answer.
   */
  @Test
  void isNotLiveBeforeTheSecondRefresh() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start(LOG);
        DelayRelay relay = DelayRelay.to(directory.slapd().port());
        FeedSupervisor feed =
            feed(
                syncContext(directory.account(), Duration.ofSeconds(1)),
                () -> List.of(at(relay.port())))) {
      sink.await("live");
      relay.swallow(SYNC_DONE);
      relay.cut();
      directory.sn("cn=a,ou=p,dc=x", "meanwhile");
      sink.await("Modified cn=a,ou=p,dc=x");
      Await.until(
          "it is given up",
          () -> {
            directory.sn("cn=a,ou=p,dc=x", "later");
            return sink.events.contains("gap TIMEOUT");
          });
      assertThat(sink.events).filteredOn("live"::equals).hasSize(1);
      relay.swallow(null);
      sink.await(2);
      assertThat(feed.status().gaps()).isEqualTo(1);
    }
    assertThat(log.warnings()).isNotEmpty();
  }

  @Test
  void outlivesTheServer() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start(LOG);
        FeedSupervisor feed = feed(directory, directory.server())) {
      sink.await("live");
      directory.slapd().kill();
      sink.await("lost");
      Await.until("tries again", () -> feed.status().connects() > 2);
      assertThat(log.warnings()).hasSize(1);
      directory.restart();
      directory.sn("cn=a,ou=p,dc=x", "new");
      sink.await(2);
      Position now = directory.position().position("dc=x");
      Await.until("the feed has come as far", () -> sink.position.covers(now));
    }
  }

  @Test
  void aServerThatIsSilentIsLost() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start(LOG);
        FeedSupervisor feed = feed(directory, directory.server())) {
      sink.await("live");
      directory.slapd().freeze();
      try {
        sink.await("lost");
        assertThat(feed.status().phase()).isEqualTo(Phase.CONNECTING);
      } finally {
        directory.slapd().thaw();
      }
      sink.await(2);
    }
  }

  /** More than may wait is left with the server, and nothing of it is lost, nor the connection. */
  @Test
  void aStalledSinkStallsTheServer() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start(LOG);
        FeedSupervisor feed = feed(directory, directory.server())) {
      sink.await("live");
      sink.hold();
      writeMore(directory);
      sink.release();
      Position now = directory.position().position("dc=x");
      Await.until("the feed has come as far", () -> sink.position.covers(now));
      assertThat(sink.events).doesNotContain("lost");
      assertThat(feed.status().connects()).isEqualTo(1);
    }
  }

  @Test
  void endsWhileTheSinkIsStalled() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start(LOG)) {
      FeedSupervisor feed = feed(directory, directory.server());
      sink.await("live");
      sink.hold();
      writeMore(directory);
      Thread end = new Thread(feed::close, "test-end");
      end.start();
      sink.release();
      end.join();
      Await.until("nobody waits", () -> !isStalled());
      assertThat(feed.status().phase()).isEqualTo(Phase.STOPPED);
    }
  }

  /** Until the feed does not read any more. */
  private static void writeMore(FeedDirectory directory) throws Exception {
    String large = "description: " + "x".repeat(3 << 20);
    for (int i = 0; !isStalled(); i++) {
      assertThat(i).as("changes that are waiting").isLessThan(60);
      directory.modify("cn=a,ou=p,dc=x", "changetype: modify", "replace: description", large + i);
    }
  }

  private static boolean isStalled() {
    return Thread.getAllStackTraces().entrySet().stream()
        .anyMatch(
            thread ->
                thread.getKey().getState() == Thread.State.WAITING
                    && Stream.of(thread.getValue())
                        .anyMatch(at -> at.getClassName().equals(SyncReplDriver.class.getName())));
  }

  @Test
  void takesTheNextServer() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start(LOG);
        FeedSupervisor feed = feed(directory, at(1), directory.server())) {
      sink.await("live");
      assertThat(feed.status().server()).isEqualTo("slapd");
    }
  }

  /** Whoever hears that the feed is live may ask at once, and not the server that it came from. */
  @Test
  void readsFromWhereTheFeedIsLive() throws Exception {
    try (FeedDirectory first = FeedDirectory.start(LOG);
        FeedDirectory second = FeedDirectory.start(LOG);
        FeedSupervisor feed = feed(first, first.server(), second.server())) {
      sink.await("live");
      second.sn("cn=a,ou=p,dc=x", "of the second");
      CompletableFuture<@Nullable List<SearchEntry>> found = new CompletableFuture<>();
      sink.atLive = () -> search(feed, "dc=x", "(sn=of the second)", found);
      first.slapd().kill();
      assertThat(found.get(30, TimeUnit.SECONDS)).hasSize(1);
    }
  }

  @Test
  void retriesAfterAnInternalError() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    try (FeedDirectory directory = FeedDirectory.start(LOG);
        FeedSupervisor feed =
            feed(
                directory,
                () -> {
                  if (asked.incrementAndGet() < 3) {
                    throw new IllegalStateException("not now");
                  }
                  return List.of(directory.server());
                })) {
      sink.await("live");
      assertThat(feed.status().phase()).isEqualTo(Phase.LIVE);
    }
    assertThat(log.warningsOf("FeedStats")).hasSize(1);
  }

  @Test
  void aRefusedPasswordIsNotLogged() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start(LOG)) {
      Path file = Files.createTempFile("stoa-feed", ".password");
      Files.writeString(file, "wrong-Password\n");
      FeedCredentials account = new FeedCredentials(FeedDirectory.ACCOUNT, file);
      FeedSupervisor.Config terms = syncContext(account, Duration.ofMinutes(1));
      try (FeedSupervisor feed = feed(terms, () -> List.of(directory.server()))) {
        Await.until("it is refused", () -> feed.status().why().contains("invalid credentials"));
        assertThat(feed.status().why()).doesNotContain("wrong-Password");
        assertThat(log.warnings()).hasSize(1).noneMatch(line -> line.contains("wrong-Password"));
        Files.writeString(file, FeedDirectory.PASSWORD);
        sink.await("live");
      } finally {
        Files.delete(file);
      }
    }
  }

  @Test
  void aMissingSyncprovIsReportedWithItsRemedy() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start(LOG);
        Slapd plain = Slapd.start(FeedDirectory.plain());
        FeedSupervisor feed = feed(directory, at(plain.port()))) {
      Await.until("it is refused", () -> feed.status().why().contains("overlay syncprov"));
      assertThat(log.warnings()).hasSize(1);
    }
  }

  @Test
  void anAccountThatDoesNotSeeEverythingIsLogged() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start(LOG);
        FeedSupervisor feed = feed(directory, directory.server())) {
      sink.await("live");
      directory.sn("cn=h,ou=hidden,dc=x", "new");
      sink.await("Unknown ");
      directory.sn("cn=h,ou=hidden,dc=x", "newer");
      Await.until("it is told", () -> feed.status().changes() == 2);
      assertThat(log.warningsOf("FeedStats")).hasSize(1);
    }
  }

  @Test
  void readsAsItsAccount() throws Exception {
    try (FeedDirectory directory = FeedDirectory.start(LOG);
        FeedSupervisor feed = feed(directory, directory.server())) {
      Await.until("it has a server", () -> feed.status().phase() == Phase.LIVE);
      List<SearchEntry> found = read(feed, "dc=x", "(cn=a)");
      assertThat(found).hasSize(1);
      assertThat(found.get(0).attributes())
          .extracting(attribute -> new String(attribute.type(), StandardCharsets.UTF_8))
          .contains("sn", "entryUUID", "entryCSN")
          .doesNotContain("userPassword");
      assertThat(read(feed, "cn=missing,dc=x", "(objectClass=*)")).isEmpty();
      assertThat(read(feed, "ou=hidden,dc=x", "(objectClass=*)")).isEmpty();
      assertThat(read(feed, "dc=x", "(bad")).isNull();
      directory.restart();
      Await.until("it reads again", () -> read(feed, "dc=x", "(cn=a)") != null);
    }
  }

  private static @Nullable List<SearchEntry> read(FeedSupervisor feed, String base, String filter)
      throws Exception {
    CompletableFuture<@Nullable List<SearchEntry>> answer = new CompletableFuture<>();
    search(feed, base, filter, answer);
    return answer.get(30, TimeUnit.SECONDS);
  }

  private static void search(
      FeedSupervisor feed,
      String base,
      String filter,
      CompletableFuture<@Nullable List<SearchEntry>> answer) {
    feed.reader()
        .search(
            new PrivilegedReader.Search(
                base.getBytes(StandardCharsets.UTF_8),
                2,
                filter.getBytes(StandardCharsets.UTF_8),
                List.of("*", "+")),
            answer::complete,
            why -> answer.complete(null));
  }

  @Test
  void speaksTls() throws Exception {
    try (TlsContexts contexts = new TlsContexts();
        Certificates authority = Certificates.create();
        FeedDirectory directory =
            FeedDirectory.start(FeedDirectory.config(LOG).tls(authority, authority.server()))) {
      TlsContext context = contexts.client(TlsConfig.DEFAULTS.trusting(authority.ca()), true);
      int port = directory.slapd().tlsPort();
      try (FeedSupervisor feed = feed(directory, secure(context::jdkContext, port, false))) {
        sink.await(1);
      }
      int plain = directory.slapd().port();
      try (FeedSupervisor feed = feed(directory, secure(context::jdkContext, plain, true))) {
        sink.await(2);
      }
    }
  }

  @Test
  void aCertificateMustBearTheNameOfTheServer() throws Exception {
    try (Certificates authority = Certificates.create();
        FeedDirectory directory =
            FeedDirectory.start(
                FeedDirectory.config(LOG).tls(authority, authority.server("other.example")))) {
      SSLContext context = authority.clientContext();
      FeedServer direct = secure(() -> context, directory.slapd().tlsPort(), false);
      try (FeedSupervisor feed = feed(directory, direct)) {
        Await.until("it is refused", () -> feed.status().connects() > 1);
      }
      FeedServer upgraded = secure(() -> context, directory.slapd().port(), true);
      try (FeedSupervisor feed = feed(directory, upgraded)) {
        Await.until("it is refused", () -> feed.status().connects() > 1);
      }
      assertThat(sink.events).doesNotContain("live");
    }
  }

  private static FeedServer secure(FeedTls.Contexts contexts, int port, boolean startTls) {
    List<String> protocols = List.of("TLSv1.3", "TLSv1.2");
    return FeedServer.tcp(
        "tls", "127.0.0.1", port, new FeedTls(contexts, protocols, List.of(), true, startTls));
  }
}

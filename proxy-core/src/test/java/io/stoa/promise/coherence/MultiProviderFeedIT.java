// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.coherence.rights.DerivedConfig;
import io.stoa.feed.syncrepl.FeedConfig;
import io.stoa.feed.syncrepl.FeedStatus.Phase;
import io.stoa.proxy.feeds.CoherenceConfig;
import io.stoa.testing.Await;
import io.stoa.testing.Ldif;
import io.stoa.testing.MirroredSlapd;
import io.stoa.testing.NameServer;
import io.stoa.testing.NameServer.Service;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import io.stoa.upstream.balancing.ServerSpec;
import io.stoa.upstream.connect.NamesConfig;
import io.stoa.upstream.server.ServerAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two servers take writes and follow each other; the feed comes from one of them. What either has
 * taken is seen within the bound, and when the one goes the feed goes on from the other.
 */
class MultiProviderFeedIT {
  private static final Duration MAX_AGE = Duration.ofMillis(200);

  /** The bound of what a feed vouches for, and what a busy machine adds to it. */
  private static final Duration BOUND = Duration.ofSeconds(2);

  /** For so long it may be live still by what was proved before. */
  private static final Duration LEASE = Duration.ofSeconds(1);

  private static final String SETTINGS =
      """
      index objectClass,uid,l,entryUUID,entryCSN eq
      limits dn.exact="cn=feed,dc=example,dc=com" size=unlimited time=unlimited
      access to attrs=userPassword by anonymous auth by * none
      access to * by * read
      """;

  @RegisterExtension final LeaseLines log = new LeaseLines();

  @TempDir private Path directory;
  private MirroredSlapd servers;
  private RunningProxy proxy;
  private CacheObserver memory;
  private LDAPConnection client;

  @BeforeEach
  void start() throws Exception {
    Ldif tree = People.tree(10);
    tree.entry(
        "cn=feed," + People.SUFFIX,
        "objectClass: organizationalRole",
        "objectClass: simpleSecurityObject",
        "cn: feed",
        "userPassword: feed");
    servers = MirroredSlapd.start(SlapdConfig.stock(), People.SUFFIX, SETTINGS, tree);
    start(ProxySetup.before(servers.ports()).upstream("servers", List.of(spec(0), drained(1))));
    proxy.proxy().applyServers(List.of(spec(0), spec(1)));
    proxy.awaitUp(2);
    client = new LDAPConnection("127.0.0.1", proxy.address().getPort());
    memory.awaitLive(People.SUFFIX);
  }

  /** Before one server, so that the feed comes from that. */
  private void start(ProxySetup setup) throws Exception {
    Path file = Files.writeString(directory.resolve("password"), "feed\n");
    FeedConfig feed =
        new FeedConfig(
            FeedConfig.Mode.AUTO,
            "cn=feed," + People.SUFFIX,
            file,
            List.of(),
            Duration.ofSeconds(1),
            1000,
            "",
            FeedConfig.Restarts.TRUSTED);
    proxy =
        setup
            .maxAge(MAX_AGE)
            .cache("auditPerSecond", 0)
            .coherence(
                new CoherenceConfig(feed, LEASE, Duration.ofHours(1), true, DerivedConfig.DEFAULTS))
            .start()
            .awaitUp(1);
    memory = new CacheObserver(proxy, MAX_AGE);
    memory.awaitLive(People.SUFFIX);
  }

  private ServerSpec spec(int index) {
    return new ServerSpec(new ServerAddress("127.0.0.1", servers.get(index).port()), true, 1, 1);
  }

  private ServerSpec drained(int index) {
    ServerSpec spec = spec(index);
    return new ServerSpec(spec.address(), true, 1, 1, List.of(), true, spec.reconnect());
  }

  @AfterEach
  void stop() {
    if (client != null) {
      client.close();
      proxy.close();
    }
    servers.close();
  }

  private static LDAPConnection root(int port) throws LDAPException {
    return new LDAPConnection("127.0.0.1", port, People.ROOT, SlapdConfig.ROOT_PASSWORD);
  }

  private static void write(int port, int who, String city) throws LDAPException {
    try (LDAPConnection root = root(port)) {
      root.modify(People.dn(who), new Modification(ModificationType.REPLACE, "l", city));
    }
  }

  private String city(int who) throws LDAPException {
    return client
        .search(People.PEOPLE, SearchScope.SUB, "(uid=user." + who + ")", "uid", "l")
        .getSearchEntries()
        .get(0)
        .getAttributeValue("l");
  }

  private int found(int who) throws LDAPException {
    return found("(uid=user." + who + ")");
  }

  private int found(String filter) throws LDAPException {
    return client.search(People.PEOPLE, SearchScope.SUB, filter, "uid", "l").getEntryCount();
  }

  private void seen(int who, String city) {
    Await.until(city + " is seen", BOUND, () -> city.equals(city(who)));
  }

  private void awaitHeldByFeed() {
    memory.awaitHeldByFeed("an unchanged entry", () -> city(3));
  }

  private String home() {
    return memory.feed(People.SUFFIX).feed().server();
  }

  private long gaps() {
    return memory.feed(People.SUFFIX).domain().gaps();
  }

  @Test
  void changesOfEitherProviderAreSeen() throws Exception {
    awaitHeldByFeed();
    for (int i = 0; i < 4; i++) {
      write(servers.get(i % 2).port(), 3, "City " + i);
      seen(3, "City " + i);
    }
    servers.awaitEqual();
    awaitHeldByFeed();
    assertThat(gaps()).isZero();
  }

  @Test
  void aDeleteAtTheOtherProviderKeepsTheLease() throws Exception {
    write(servers.get(1).port(), 6, "Corinth");
    seen(6, "Corinth");
    servers.awaitEqual();
    awaitHeldByFeed();
    try (LDAPConnection root = root(servers.get(1).port())) {
      root.delete(People.dn(6));
    }
    Await.until("it is gone", BOUND, () -> found(6) == 0);
    awaitHeldByFeed();
  }

  /** What has changed meanwhile may be told in any order: the position says nothing of it. */
  @Test
  void changesThatReachAProviderLateAreSeen() throws Exception {
    write(servers.get(1).port(), 6, "Corinth");
    write(servers.get(1).port(), 7, "Corinth");
    servers.awaitEqual();
    memory.awaitHeldByFeed("all of them", () -> found("(l=Corinth)"));
    servers.lag(1, Duration.ofSeconds(5));
    write(servers.get(1).port(), 6, "Sparta");
    try (LDAPConnection root = root(servers.get(1).port())) {
      root.delete(People.dn(7));
    }
    servers.cut(1);
    servers.lag(1, Duration.ZERO);
    servers.awaitEqual();
    memory.awaitLive(People.SUFFIX);
    assertThat(found("(l=Corinth)")).isZero();
    seen(6, "Sparta");
    awaitHeldByFeed();
  }

  /** The lease is over before the bound is. */
  @Test
  void theLeaseLapsesWhileProvidersReplicateSlowly() throws Exception {
    write(servers.get(1).port(), 4, "Corinth");
    seen(4, "Corinth");
    awaitHeldByFeed();
    servers.lag(1, Duration.ofSeconds(3));
    write(servers.get(1).port(), 3, "Sparta");
    long written = System.nanoTime();
    Await.until(
        "the lease is over for good",
        () -> System.nanoTime() - written > LEASE.toNanos() && !memory.isLive(People.SUFFIX));
    assertThat(memory.restingOnTheFeed(Duration.ofMillis(500), () -> city(3))).isZero();
    servers.lag(1, Duration.ZERO);
    servers.awaitEqual();
    memory.awaitLive(People.SUFFIX);
    assertThat(city(3)).isEqualTo("Sparta");
    awaitHeldByFeed();
    assertThat(gaps()).isZero();
  }

  /** The feed goes on all the while. */
  @Test
  void aServerWithoutAPositionIsNamed() throws Exception {
    String lapsed = "LEASE LAPSED";
    servers.get(1).freeze();
    try {
      Await.until("that is told", () -> "lapsed".equals(memory.feed(People.SUFFIX).state()));
      assertThat(memory.feed(People.SUFFIX).feed().phase()).isEqualTo(Phase.LIVE);
      assertThat(memory.feed(People.SUFFIX).reason())
          .contains(":" + servers.get(1).port() + " does not report its position");
    } finally {
      servers.get(1).thaw();
    }
    Await.until("it is live again", () -> memory.feed(People.SUFFIX).isLive());
    awaitHeldByFeed();
    assertThat(memory.feed(People.SUFFIX).reason()).isEmpty();
    assertThat(log.with(lapsed)).singleElement().asString().startsWith("WARN");
    assertThat(log.with("lease restored")).as("the lease has not lasted yet").isEmpty();
  }

  @Test
  void theFeedMovesToTheOtherProvider() throws Exception {
    write(servers.get(1).port(), 4, "Corinth");
    write(servers.get(0).port(), 5, "Delphi");
    seen(4, "Corinth");
    seen(5, "Delphi");
    servers.awaitEqual();
    awaitHeldByFeed();
    Slapd first = servers.get(0);
    assertThat(home()).endsWith(":" + first.port());
    first.kill();
    Await.until(
        "the feed comes from the other",
        () ->
            home().endsWith(":" + servers.get(1).port())
                && memory.feed(People.SUFFIX).feed().phase() == Phase.LIVE);
    assertThat(gaps()).isZero();
    write(servers.get(1).port(), 3, "Sparta");
    seen(3, "Sparta");
    Await.until("the other is waited for", () -> !memory.isLive(People.SUFFIX));
    proxy.proxy().applyServers(List.of(drained(0), spec(1)));
    awaitHeldByFeed();
    proxy.proxy().applyServers(List.of(spec(0), spec(1)));
    Await.until("the other is waited for again", () -> !memory.isLive(People.SUFFIX));
    first.restart();
    servers.awaitEqual();
    memory.awaitLive(People.SUFFIX);
    awaitHeldByFeed();
    assertThat(gaps()).isZero();
    write(first.port(), 3, "Athens");
    seen(3, "Athens");
  }

  /** Its connection has not broken, and it would tell of changes still. */
  @Test
  void theFeedLeavesAServerRemovedFromDns() throws Exception {
    client.close();
    proxy.close();
    try (NameServer names = NameServer.start()) {
      names.tell(named(0));
      NamesConfig often = new NamesConfig(names.address(), Duration.ofMillis(50));
      start(ProxySetup.beforeUrls("ldap+srv://example.com").upstream("names", often));
      client = new LDAPConnection("127.0.0.1", proxy.address().getPort());
      write(servers.get(1).port(), 4, "Corinth");
      seen(4, "Corinth");
      servers.awaitEqual();
      awaitHeldByFeed();
      assertThat(home()).endsWith(":" + servers.get(0).port());
      names.tell(named(1));
      Await.until(
          "the feed comes from the other",
          () ->
              home().endsWith(":" + servers.get(1).port())
                  && memory.feed(People.SUFFIX).feed().phase() == Phase.LIVE);
      write(servers.get(1).port(), 3, "Sparta");
      seen(3, "Sparta");
      awaitHeldByFeed();
      assertThat(gaps()).isZero();
    }
  }

  private Service named(int index) {
    return new Service(1, 1, servers.get(index).port(), "localhost");
  }

  /** It takes the position for one that it has: it compares what it has counted itself. */
  @Test
  void resultsThatTheOtherProviderLacksAreDropped() throws Exception {
    servers.lag(0, Duration.ofHours(1));
    write(servers.get(0).port(), 4, "Corinth");
    seen(4, "Corinth");
    servers.get(0).kill();
    Await.until(
        "the feed comes from the other",
        () ->
            home().endsWith(":" + servers.get(1).port())
                && memory.feed(People.SUFFIX).feed().phase() == Phase.LIVE);
    assertThat(gaps()).isEqualTo(1);
    city(4); // as the other shows it
    servers.lag(0, Duration.ZERO);
    servers.cut(0);
    servers.get(0).restart();
    servers.awaitEqual();
    memory.awaitLive(People.SUFFIX);
    assertThat(city(4)).isEqualTo("Corinth");
  }

  /** The feed comes from the other; what goes through Stoa goes to the first again. */
  @Test
  void aWriterSeesItsWritesWhicheverProviderFeeds() throws Exception {
    servers.get(0).stop();
    Await.until(
        "the feed comes from the other", () -> home().endsWith(":" + servers.get(1).port()));
    servers.get(0).restart();
    servers.awaitEqual();
    proxy.awaitUp(2);
    memory.awaitLive(People.SUFFIX);
    servers.lag(0, Duration.ofMillis(300));
    try (LDAPConnection writer = root(proxy.address().getPort());
        LDAPConnection other = new LDAPConnection("127.0.0.1", proxy.address().getPort())) {
      for (int i = 0; i < 10; i++) {
        String city = "City " + i;
        writer.modify(People.dn(3), new Modification(ModificationType.REPLACE, "l", city));
        other.search(People.PEOPLE, SearchScope.SUB, "(uid=user.3)", "uid", "l");
        assertThat(
                writer
                    .search(People.PEOPLE, SearchScope.SUB, "(uid=user.3)", "uid", "l")
                    .getSearchEntries()
                    .get(0)
                    .getAttributeValue("l"))
            .isEqualTo(city);
      }
      seen(3, "City 9");
    }
  }
}

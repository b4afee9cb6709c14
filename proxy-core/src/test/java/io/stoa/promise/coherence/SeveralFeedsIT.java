// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.coherence.invalidation.DomainStatus;
import io.stoa.coherence.rights.DerivedConfig;
import io.stoa.feed.connection.FeedCredentials;
import io.stoa.feed.syncrepl.FeedConfig;
import io.stoa.feed.syncrepl.FeedConfig.DirectoryAccount;
import io.stoa.feed.syncrepl.FeedStatus.Phase;
import io.stoa.proxy.feeds.CoherenceConfig;
import io.stoa.testing.Await;
import io.stoa.testing.Ldif;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import io.stoa.upstream.balancing.ServerSpec;
import io.stoa.upstream.server.ServerAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two directories behind one Stoa, one of which holds what is below an entry of the other: each has
 * a feed of its own, by an account of its own, and what rests on it does not rest on the other.
 */
class SeveralFeedsIT {
  private static final Duration MAX_AGE = Duration.ofMillis(200);

  /** The bound of what a feed vouches for, and what a busy machine adds to it. */
  private static final Duration BOUND = Duration.ofSeconds(2);

  /** Twice as long as that is longer than the bound. */
  private static final Duration SLOW = Duration.ofMillis(600);

  private static final String MAIN = "dc=example,dc=com";
  private static final String SALES = "dc=sales,dc=example,dc=com";
  private static final String SETTINGS =
      """
      index objectClass,uid,l,entryUUID,entryCSN eq
      limits dn.exact="cn=feed,%s" size=unlimited time=unlimited
      access to attrs=userPassword by anonymous auth by * none
      access to * by * read
      overlay syncprov
      syncprov-sessionlog 1000
      """;

  @TempDir private Path directory;
  private Slapd main;
  private Slapd sales;
  private LDAPConnection mainRoot;
  private LDAPConnection salesRoot;
  private RunningProxy proxy;
  private CacheObserver memory;
  private LDAPConnection client;

  @BeforeEach
  void start() throws Exception {
    main = slapd(MAIN, "example");
    sales = slapd(SALES, "sales");
    mainRoot = root(main, MAIN);
    salesRoot = root(sales, SALES);
  }

  private static Slapd slapd(String suffix, String name) {
    Ldif tree = new Ldif();
    tree.entry(suffix, "objectClass: domain", "dc: " + name);
    tree.entry(
        "cn=feed," + suffix,
        "objectClass: organizationalRole",
        "objectClass: simpleSecurityObject",
        "cn: feed",
        "userPassword: " + name);
    for (int i = 0; i < 5; i++) {
      String uid = name + i;
      tree.entry(
          dn(uid, suffix), "objectClass: inetOrgPerson", "uid: " + uid, "cn: " + uid, "sn: " + uid);
    }
    SlapdConfig stock = SlapdConfig.stock().module("syncprov");
    return Slapd.start(stock.database(suffix, SETTINGS.formatted(suffix), tree));
  }

  private static LDAPConnection root(Slapd slapd, String suffix) throws LDAPException {
    String dn = SlapdConfig.ROOT_RDN + "," + suffix;
    return new LDAPConnection("127.0.0.1", slapd.port(), dn, SlapdConfig.ROOT_PASSWORD);
  }

  private static String dn(String uid, String suffix) {
    return "uid=" + uid + "," + suffix;
  }

  private FeedCredentials account(String suffix, String name) throws IOException {
    Path file = Files.writeString(directory.resolve(name), name + "\n");
    return new FeedCredentials("cn=feed," + suffix, file);
  }

  /** Asks all directories by the account of the first, but for those that have others. */
  private void start(DirectoryAccount... others) throws Exception {
    FeedCredentials common = account(MAIN, "example");
    FeedConfig feed =
        new FeedConfig(
            FeedConfig.Mode.AUTO,
            common.dn(),
            common.passwordFile(),
            List.of(others),
            Duration.ofSeconds(1),
            1000,
            "",
            FeedConfig.Restarts.GAP);
    proxy =
        ProxySetup.before(main.port(), sales.port())
            .upstream("servers", List.of(spec(main), spec(sales, SALES)))
            .maxAge(MAX_AGE)
            .cache("auditPerSecond", 0)
            .coherence(
                new CoherenceConfig(
                    feed, Duration.ofSeconds(1), Duration.ofHours(1), true, DerivedConfig.DEFAULTS))
            .start();
    memory = new CacheObserver(proxy, MAX_AGE);
    client = new LDAPConnection("127.0.0.1", proxy.address().getPort());
  }

  private static ServerSpec spec(Slapd server, String... suffixes) {
    ServerAddress address = new ServerAddress("127.0.0.1", server.port());
    return new ServerSpec(address, true, 1, 1, List.of(suffixes));
  }

  private void startBoth() throws Exception {
    start(new DirectoryAccount(SALES, account(SALES, "sales")));
    memory.awaitLive(MAIN, SALES);
  }

  @AfterEach
  void stop() {
    if (client != null) {
      client.close();
      proxy.close();
    }
    mainRoot.close();
    salesRoot.close();
    main.close();
    sales.close();
  }

  private SearchResult find(String base, String filter) throws LDAPException {
    return client.search(base, SearchScope.SUB, filter, "uid", "l");
  }

  private SearchResult findMain() throws LDAPException {
    return client.search(dn("example1", MAIN), SearchScope.BASE, "(uid=example1)", "uid", "l");
  }

  private SearchResult findSales() throws LDAPException {
    return find(SALES, "(uid=sales1)");
  }

  private static Modification city(String name) {
    return new Modification(ModificationType.REPLACE, "l", name);
  }

  private static String cityOf(SearchResult found) {
    return found.getSearchEntries().get(0).getAttributeValue("l");
  }

  @Test
  void eachDirectoryRestsOnItsOwnFeed() throws Exception {
    startBoth();
    memory.awaitHeldByFeed("the one", this::findMain);
    memory.awaitHeldByFeed("the other", this::findSales);
    assertThat(memory.feed(MAIN).feed().server()).endsWith(":" + main.port());
    assertThat(memory.feed(SALES).feed().server()).endsWith(":" + sales.port());
    mainRoot.modify(dn("example1", MAIN), city("Athens"));
    salesRoot.modify(dn("sales1", SALES), city("Sparta"));
    Await.until(
        "both are seen",
        BOUND,
        () -> "Athens".equals(cityOf(findMain())) && "Sparta".equals(cityOf(findSales())));
  }

  @Test
  void ownWritesToEitherDirectoryAreSeenAtOnce() throws Exception {
    startBoth();
    memory.awaitHeldByFeed("the other", this::findSales);
    String dn = SlapdConfig.ROOT_RDN + "," + SALES;
    try (LDAPConnection writer =
        new LDAPConnection("127.0.0.1", proxy.address().getPort(), dn, SlapdConfig.ROOT_PASSWORD)) {
      for (int i = 0; i < 20; i++) {
        writer.modify(dn("sales1", SALES), city("City " + i));
        assertThat(cityOf(findSales())).isEqualTo("City " + i);
      }
    }
  }

  /** Nobody knows what its position says nothing of: that is nothing to the other. */
  @Test
  void aSlowWriteToOneDirectoryKeepsResultsOfTheOther() throws Exception {
    startBoth();
    memory.awaitHeldByFeed("the one", this::findMain);
    String dn = SlapdConfig.ROOT_RDN + "," + SALES;
    try (LDAPConnection writer =
        new LDAPConnection("127.0.0.1", proxy.address().getPort(), dn, SlapdConfig.ROOT_PASSWORD)) {
      writer.modify(dn("sales1", SALES), city("Athens"));
      modifySlowly(writer);
    }
    assertThat(memory.feed(SALES).marginNanos()).isGreaterThan(2 * SLOW.toNanos());
    assertThat(memory.feed(MAIN).marginNanos()).isLessThan(Duration.ofSeconds(1).toNanos());
    Await.until("that is told", () -> "lapsed".equals(memory.feed(SALES).state()));
    assertThat(memory.feed(SALES).reason()).startsWith("a write within the last minute took ");
    memory.awaitLive(MAIN);
    memory.awaitHeldByFeed("the one", this::findMain);
    assertThat(memory.feed(MAIN).isLive()).isTrue();
    assertThat(memory.isLive(SALES)).isFalse();
  }

  private void modifySlowly(LDAPConnection writer) throws Exception {
    sales.freeze();
    AsyncRequestID sent;
    try {
      sent = writer.asyncModify(new ModifyRequest(dn("sales1", SALES), city("Sparta")), null);
      long begun = System.nanoTime();
      Await.until("time has passed", () -> System.nanoTime() - begun > SLOW.toNanos());
    } finally {
      sales.thaw();
    }
    assertThat(sent.get().getResultCode()).isEqualTo(ResultCode.SUCCESS);
  }

  /** No feed tells of all of it. */
  @Test
  void resultsOfBothDirectoriesExpireByAge() throws Exception {
    startBoth();
    assertThat(find(MAIN, "(uid=*1)").getEntryCount()).isEqualTo(2);
    assertThat(memory.restingOnTheFeed(MAX_AGE.multipliedBy(5), () -> find(MAIN, "(uid=*1)")))
        .isZero();
    salesRoot.modify(dn("sales1", SALES), city("Sparta"));
    Await.until("it is seen", () -> find(MAIN, "(l=Sparta)").getEntryCount() == 1);
  }

  @Test
  void theLossOfOneFeedKeepsResultsOfTheOther() throws Exception {
    startBoth();
    memory.awaitHeldByFeed("the one", this::findMain);
    memory.awaitHeldByFeed("the other", this::findSales);
    DomainStatus before = memory.feed(MAIN).domain();
    sales.kill();
    Await.until("its feed is lost", () -> memory.feed(SALES).feed().phase() != Phase.LIVE);
    Await.until("its lease is over", () -> !memory.isLive(SALES));
    memory.awaitLive(MAIN);
    memory.awaitHeldByFeed("the one", this::findMain);
    assertThat(memory.isLive(SALES)).isFalse();
    assertThat(memory.feed(MAIN).domain().invalidations()).isEqualTo(before.invalidations());
    assertThat(memory.feed(MAIN).domain().gaps()).isEqualTo(before.gaps());
    mainRoot.modify(dn("example1", MAIN), city("Athens"));
    Await.until("the one is seen", () -> "Athens".equals(cityOf(findMain())));
    sales.restart();
    memory.awaitLive(SALES);
    memory.awaitHeldByFeed("the other", this::findSales);
  }

  /** It is not asked by the account of another one. */
  @Test
  void aDirectoryMayHaveNoFeed() throws Exception {
    start(new DirectoryAccount(SALES, null));
    memory.awaitLive(MAIN);
    memory.awaitHeldByFeed("the one", this::findMain);
    assertThat(memory.restingOnTheFeed(MAX_AGE.multipliedBy(5), this::findSales)).isZero();
    assertThat(memory.feed(SALES)).isNull();
    assertThat(proxy.status().withoutFeed())
        .singleElement()
        .satisfies(none -> assertThat(none.name()).isEqualTo(SALES))
        .satisfies(none -> assertThat(none.why()).contains("feed.accounts"));
  }
}

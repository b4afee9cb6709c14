// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.LDAPSearchException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.coherence.invalidation.DomainReport;
import io.stoa.coherence.invalidation.DomainState;
import io.stoa.feed.syncrepl.FeedConfig;
import io.stoa.feed.syncrepl.FeedStatus.Phase;
import io.stoa.proxy.Extensions;
import io.stoa.proxy.ProxyConfig;
import io.stoa.testing.Await;
import io.stoa.testing.FaultInjectingProxy;
import io.stoa.testing.Leftovers;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.ReplicatedSlapd;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;

/** A slapd of people that tells of changes, and a Stoa that hears of them. Not thread-safe. */
public final class SlapdWithFeed implements AutoCloseable {
  public static final String FEED = "cn=feed," + People.SUFFIX;
  private static final String PASSWORD = "feed-Secret";

  private static final String SYNCPROV =
      """
      overlay syncprov
      syncprov-sessionlog 1000
      """;

  /** One second more than what a start time must differ by. */
  private static final int UPTIME_SECONDS = 4;

  private final SlapdWithFeedSetup setup;
  private final List<AutoCloseable> all = new ArrayList<>();
  private Slapd slapd;
  private ReplicatedSlapd servers;
  private final List<FaultInjectingProxy> ways = new ArrayList<>();
  private FeedRelay relay;
  private LDAPConnection root;
  private RunningProxy proxy;
  private ProxyConfig stoa;
  private Path coverageFile;

  private SlapdWithFeed(SlapdWithFeedSetup setup) {
    this.setup = setup;
  }

  public static SlapdWithFeed start(int people, Duration maxAge) {
    return start(SlapdWithFeedSetup.of(people, maxAge));
  }

  /**
   * Starts it.
   *
   * @param rights for how long those of a client are taken for what they were
   */
  public static SlapdWithFeed start(int people, Duration maxAge, Duration rights) {
    return start(SlapdWithFeedSetup.of(people, maxAge).rights(rights));
  }

  public static SlapdWithFeed start(SlapdWithFeedSetup setup) {
    SlapdWithFeed people = new SlapdWithFeed(setup);
    boolean started = false;
    try {
      people.begin();
      started = true;
      return people;
    } finally {
      if (!started) {
        people.close();
      }
    }
  }

  private void begin() {
    setup.entry(
        FEED,
        "objectClass: organizationalRole",
        "objectClass: simpleSecurityObject",
        "cn: feed",
        "userPassword: " + PASSWORD);
    Path directory = Leftovers.directory("stoa-fed");
    all.add(() -> Leftovers.delete(directory));
    int[] ports = setup.replicas() > 0 || setup.isFaulty() ? several() : one();
    connect();
    setup.log().begin(slapd);
    stoa = setup.cachesOf(proxySetup(directory.resolve("password"), ports)).config();
    coverageFile = directory.resolve("told");
    proxy = keep(RunningProxy.start(stoa, kept()));
  }

  private Extensions kept() {
    Extensions none = Extensions.none();
    return new Extensions(
        none.front(),
        none.counters(),
        none.binds(),
        none.opened(),
        coverageFile,
        none.access(),
        none.sockets());
  }

  /** Ends Stoa and starts it again: only the file of what was told is left. */
  public void restartStoa() {
    all.remove(proxy);
    proxy.close();
    proxy = keep(RunningProxy.start(stoa, kept()));
  }

  private int[] several() {
    servers =
        keep(
            ReplicatedSlapd.start(
                setup.stock(), People.SUFFIX, setup.settings(), setup.tree(), setup.replicas()));
    slapd = servers.primary();
    if (!setup.isFaulty()) {
      return servers.ports();
    }
    for (int port : servers.ports()) {
      ways.add(keep(FaultInjectingProxy.to(port)));
    }
    return ways.stream().mapToInt(FaultInjectingProxy::port).toArray();
  }

  private int[] one() {
    SlapdConfig stock = setup.log().beside(setup.stock().module("syncprov"));
    String syncprov = setup.settings().contains("overlay syncprov") ? "" : SYNCPROV;
    String lines = setup.settings() + syncprov + setup.log().lines();
    stock = stock.database(People.SUFFIX, lines, setup.tree());
    slapd = keep(Slapd.start(setup.log().before(stock)));
    if (!setup.isRelayed()) {
      return new int[] {slapd.port()};
    }
    relay = keep(new FeedRelay(slapd.port(), FEED));
    return new int[] {relay.port()};
  }

  private <T extends AutoCloseable> T keep(T one) {
    all.add(one);
    return one;
  }

  private ProxySetup proxySetup(Path file, int... ports) {
    try {
      Files.writeString(file, PASSWORD + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    FeedConfig feed =
        new FeedConfig(
            setup.log().mode(),
            FEED,
            file,
            List.of(),
            Duration.ofSeconds(1),
            1000,
            "",
            setup.restarts());
    return setup
        .actingFrom(file.getParent(), setup.readAt(ProxySetup.before(ports)))
        .maxAge(setup.maxAge())
        .cache("invalidation", setup.invalidation())
        .cache("sharing", setup.sharing())
        .coherence(setup.coherence(feed));
  }

  /** Begins {@link #root} again, after slapd has been started again. */
  public void connect() {
    if (root != null) {
      root.close();
    }
    root = connect(slapd.address(), People.ROOT, SlapdConfig.ROOT_PASSWORD);
  }

  public static LDAPConnection connect(InetSocketAddress address, String dn, String password) {
    try {
      return new LDAPConnection("127.0.0.1", address.getPort(), dn, password);
    } catch (LDAPException e) {
      throw new AssertionError(e);
    }
  }

  /** Somebody who asks Stoa. */
  public LDAPConnection client(String dn, String password) {
    return connect(proxy.address(), dn, password);
  }

  /** The same without a bind: no server has a connection for it more than another. */
  public LDAPConnection anonymous() {
    try {
      return new LDAPConnection("127.0.0.1", proxy.address().getPort());
    } catch (LDAPException e) {
      throw new AssertionError(e);
    }
  }

  public Slapd slapd() {
    return slapd;
  }

  /** Several servers, if there are. */
  public ReplicatedSlapd servers() {
    return servers;
  }

  /** The ways to several servers, the primary's first, if they can have faults. */
  public List<FaultInjectingProxy> ways() {
    return ways;
  }

  /** What stands between Stoa and slapd, if something does. */
  public FeedRelay relay() {
    return relay;
  }

  /** Whoever may do anything, by a connection to slapd. */
  public LDAPConnection root() {
    return root;
  }

  /** Another connection of the same. */
  public LDAPConnection another() {
    return connect(slapd.address(), People.ROOT, SlapdConfig.ROOT_PASSWORD);
  }

  /** Waits until Stoa has seen slapd run for so long that it can tell a later process apart. */
  public void awaitProvable() {
    Await.until("slapd has run for a while", () -> slapd.uptime() >= UPTIME_SECONDS);
    awaitLive();
  }

  /** Whether the feed tells of changes. */
  public boolean isListening() {
    List<DomainReport> feeds = proxy.status().feeds();
    return !feeds.isEmpty() && feeds.get(0).domain().state() == DomainState.LIVE;
  }

  public RunningProxy proxy() {
    return proxy;
  }

  /** What has become of its one naming context. */
  public DomainReport report() {
    return proxy.status().feeds().get(0);
  }

  /** Whether what is read from now on may rest on the feed, and what has been may be given. */
  public boolean isLive() {
    List<DomainReport> feeds = proxy.status().feeds();
    return !feeds.isEmpty()
        && feeds.get(0).domain().state() == DomainState.LIVE
        && feeds.get(0).leaseAgeNanos() >= 0
        && feeds.get(0).leaseAgeNanos() <= feeds.get(0).bound().toNanos();
  }

  /** Waits until it is live, and whatever had been written before has been applied. */
  public void awaitLive() {
    long now = System.nanoTime();
    Await.until("the feed is live", () -> isLiveSince(now));
  }

  /** Whether it is live, and has proved that it has told of all that was written before. */
  private boolean isLiveSince(long then) {
    return CacheObserver.isLiveSince(
        then, () -> proxy.status().feeds().stream().findFirst().orElse(null));
  }

  /** How often a connection of its feed was begun. */
  public long connects() {
    return report().feed().connects();
  }

  /**
   * Waits until it is live by another connection of the feed: it may be live still by that which
   * has just been lost.
   *
   * @param before how often one had been begun
   */
  public void awaitLiveAgain(long before) {
    Await.until(
        "the feed has come back",
        () -> connects() > before && report().feed().phase() == Phase.LIVE);
    awaitLive();
    proxy.awaitUp();
  }

  /** Whether one of several questions is answered from memory still. */
  boolean isAnyRemembered(LDAPConnection client, String... filters) throws Exception {
    return remembered(client, filters) > 0;
  }

  /**
   * How many of several questions are answered from memory still. Each is asked once: one may come
   * when a machine that stood still has not heard of the feed for longer than the bound.
   */
  public int remembered(LDAPConnection client, String... filters) throws Exception {
    int remembered = 0;
    for (String filter : filters) {
      awaitLive();
      if (isRemembered(() -> find(client, filter, "uid", "l"))) {
        remembered++;
      }
    }
    return remembered;
  }

  static SearchResult find(LDAPConnection who, String filter, String... attributes) {
    return find(who, People.PEOPLE, SearchScope.SUB, filter, attributes);
  }

  /** What is found; a base that is not there is a result, too. */
  static SearchResult find(
      LDAPConnection who, String base, SearchScope scope, String filter, String... attributes) {
    try {
      return who.search(base, scope, filter, attributes);
    } catch (LDAPSearchException e) {
      if (e.getResultCode().equals(ResultCode.NO_SUCH_OBJECT)) {
        return e.getSearchResult();
      }
      throw new AssertionError(e);
    }
  }

  /** One attribute of the only entry found; null if it has none, or nothing is found. */
  public static String value(LDAPConnection who, String filter, String attribute) {
    SearchResult found = find(who, filter, "uid", attribute);
    return found.getEntryCount() == 0
        ? null
        : found.getSearchEntries().get(0).getAttributeValue(attribute);
  }

  /** Whether that is answered from memory. */
  public boolean isRemembered(Callable<?> read) throws Exception {
    return memory().isRemembered(read);
  }

  /** What Stoa gives from memory. */
  public CacheObserver memory() {
    return new CacheObserver(proxy, setup.maxAge());
  }

  /** Asks until the answer has come from memory for much longer than its age would permit. */
  public void awaitHeldByFeed(String what, Callable<?> read) {
    memory().awaitHeldByFeed(what, read);
  }

  /** The same of several searches at once. */
  public void awaitHeldByFeed(LDAPConnection client, String... filters) {
    awaitHeldByFeed(
        String.join(" and ", filters),
        () -> {
          for (String filter : filters) {
            find(client, filter, "uid", "l");
          }
          return null;
        });
  }

  /** Asks for a while, and how often an answer rested on the feed. */
  public long restingOnTheFeed(Duration howLong, Callable<?> read) throws Exception {
    return memory().restingOnTheFeed(howLong, read);
  }

  @Override
  public void close() {
    if (proxy != null) {
      all.remove(proxy);
      proxy.close();
    }
    if (root != null) {
      root.close();
    }
    Collections.reverse(all);
    for (AutoCloseable one : all) {
      try {
        one.close();
      } catch (Exception e) {
        throw new AssertionError("cannot be ended", e);
      }
    }
  }
}

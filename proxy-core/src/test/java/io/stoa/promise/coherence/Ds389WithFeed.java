// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import io.stoa.coherence.invalidation.DomainReport;
import io.stoa.coherence.invalidation.DomainState;
import io.stoa.coherence.rights.DerivedConfig;
import io.stoa.feed.syncrepl.FeedConfig;
import io.stoa.proxy.feeds.CoherenceConfig;
import io.stoa.testing.Await;
import io.stoa.testing.DelayRelay;
import io.stoa.testing.Ds389;
import io.stoa.testing.Ds389Config;
import io.stoa.testing.Ldif;
import io.stoa.testing.Leftovers;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RunningProxy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/** A 389-ds of people with a retro changelog, and a Stoa that follows it. Not thread-safe. */
public final class Ds389WithFeed implements AutoCloseable {
  public static final String FEED = "cn=feed," + People.SUFFIX;
  public static final String HIDDEN = "ou=hidden," + People.SUFFIX;
  public static final String GROUP = "cn=group," + People.SUFFIX;
  static final String CHANGELOG = "cn=Retro Changelog Plugin,cn=plugins,cn=config";
  static final String WRONG = "wrong-Secret";
  private static final String PASSWORD = "feed-Secret";

  /** A server that is imported while it runs does not answer all binds. */
  private static final Duration BIND_TIMEOUT = Duration.ofSeconds(3);

  /** What an administrator may leave of what everybody is shown of the server. */
  static final String OTHERS =
      "(targetattr=\"objectClass || cn\")(version 3.0; acl \"some\"; allow (read,search)"
          + " userdn=\"ldap:///anyone\";)";

  private static final String NAMELESS =
      "(target=\"ldap:///"
          + People.SUFFIX
          + "\")(targetfilter=\"(objectClass=domain)\")(targetattr=\"nsUniqueId\")"
          + "(version 3.0; acl \"nameless\"; deny (read,search,compare) userdn=\"ldap:///"
          + FEED
          + "\";)";

  /** What {@code docs/guides/feeds.md} adds to {@code cn=changelog}, and to {@code cn=monitor}. */
  static final String ALLOW =
      "(targetattr=\"*\")(version 3.0; acl \"feed\"; allow (read,search,compare)"
          + " userdn=\"ldap:///"
          + FEED
          + "\";)";

  private final Duration maxAge;
  private final Path directory = Leftovers.directory("stoa-fed-389");
  private final Path password = directory.resolve("password");
  private final Ds389 server;
  private LDAPConnection root;
  private DelayRelay way;
  private int port;
  private RunningProxy proxy;

  private Ds389WithFeed(Ds389 server, Duration maxAge) {
    this.server = server;
    this.port = server.address().getPort();
    this.maxAge = maxAge;
  }

  /** As {@code docs/guides/feeds.md} has it. */
  public static Ds389Config config(int people) {
    return stock(people)
        .plugin("Retro Changelog Plugin")
        .plugin("MemberOf Plugin")
        .set(CHANGELOG, "nsslapd-attribute", "nsuniqueid:targetUniqueId");
  }

  /** The same without a changelog. */
  static Ds389Config stock(int people) {
    Ldif tree = Ldif.forDs389();
    tree.entry(
        People.SUFFIX,
        "objectClass: domain",
        "dc: example",
        "aci: (targetattr!=\"userPassword || description\")(version 3.0; acl \"all\";"
            + " allow (read,search,compare) userdn=\"ldap:///anyone\";)",
        "aci: (targetattr=\"*\")(version 3.0; acl \"self\"; allow (all) userdn=\"ldap:///self\";)",
        "aci: (targetattr=\"description\")(version 3.0; acl \"feed\"; allow (read,search,compare)"
            + " userdn=\"ldap:///"
            + FEED
            + "\";)");
    tree.entry(PEOPLE, "objectClass: organizationalUnit", "ou: people");
    tree.entry(
        HIDDEN,
        "objectClass: organizationalUnit",
        "ou: hidden",
        "aci: (targetattr=\"*\")(version 3.0; acl \"hide\"; deny (read,search,compare)"
            + " userdn=\"ldap:///"
            + FEED
            + "\";)");
    tree.entry("uid=hidden," + HIDDEN, person("hidden"));
    tree.entry("ou=place," + People.SUFFIX, "objectClass: organizationalUnit", "ou: place");
    tree.entry("uid=placed,ou=place," + People.SUFFIX, person("placed"));
    tree.entry(GROUP, "objectClass: groupOfNames", "cn: group");
    for (int i = 0; i < people; i++) {
      tree.entry(People.dn(i), person("user." + i));
    }
    tree.entry(
        FEED,
        "objectClass: organizationalRole",
        "objectClass: simpleSecurityObject",
        "objectClass: extensibleObject",
        "nsSizeLimit: -1",
        "nsLookThroughLimit: -1",
        "nsTimeLimit: -1",
        "nsIdleTimeout: -1",
        "cn: feed",
        "userPassword: " + PASSWORD);
    return Ds389Config.stock().database(People.SUFFIX, tree);
  }

  private static final String PEOPLE = People.PEOPLE;

  private static String[] person(String uid) {
    return new String[] {
      "objectClass: inetOrgPerson",
      "objectClass: inetUser",
      "uid: " + uid,
      "cn: " + uid,
      "sn: Person",
      "l: nowhere",
      "userPassword: " + People.PASSWORD
    };
  }

  public static Ds389WithFeed start(int people, Duration maxAge) {
    return start(config(people), maxAge, Duration.ofSeconds(1), one -> one.allow().written());
  }

  /**
   * Starts it.
   *
   * @param before what is done before Stoa begins
   */
  public static Ds389WithFeed start(
      Ds389Config config, Duration maxAge, Duration bound, Consumer<Ds389WithFeed> before) {
    Ds389WithFeed fed = new Ds389WithFeed(Ds389.start(config), maxAge);
    boolean started = false;
    try {
      fed.connect();
      fed.password(PASSWORD);
      before.accept(fed);
      fed.begin(bound);
      started = true;
      return fed;
    } finally {
      if (!started) {
        fed.close();
      }
    }
  }

  private void begin(Duration bound) {
    FeedConfig feed =
        new FeedConfig(
            FeedConfig.Mode.AUTO,
            FEED,
            password,
            List.of(),
            Duration.ofSeconds(1),
            1000,
            "",
            FeedConfig.Restarts.GAP);
    proxy =
        ProxySetup.before(port)
            .maxAge(maxAge)
            .upstream("bindTimeout", BIND_TIMEOUT)
            .coherence(
                new CoherenceConfig(
                    feed, bound, Duration.ofHours(1), false, DerivedConfig.DEFAULTS))
            .start();
  }

  /** Stoa comes to the server by a way that can be cut. */
  Ds389WithFeed remote() {
    way = DelayRelay.to(port);
    return by(way.port());
  }

  /** Stoa comes to the server by another port. */
  public Ds389WithFeed by(int other) {
    port = other;
    return this;
  }

  /** Ends Stoa's connections; the server does not notice more than that. */
  void cut() {
    way.cut();
  }

  /** Writes all entries to a file, or replaces them all by what is in it. */
  void whole(String task, Path file) {
    String name = "cn=" + task + ",cn=" + task + ",cn=tasks,cn=config";
    try {
      root.add(
          new Entry(
              name,
              new Attribute("objectClass", "extensibleObject"),
              new Attribute("cn", task),
              new Attribute("nsInstance", "db0"),
              new Attribute("nsFilename", file.toString())));
      Await.until(task + " is done", () -> "0".equals(exitCode(name)));
    } catch (LDAPException e) {
      throw new AssertionError(e);
    }
  }

  private String exitCode(String task) throws LDAPException {
    Entry entry = root.getEntry(task, "nsTaskExitCode");
    return entry == null ? null : entry.getAttributeValue("nsTaskExitCode");
  }

  /** Gives the feed's account another password to use. */
  Ds389WithFeed password(String text) {
    try {
      Files.writeString(password, text + "\n");
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Ds389WithFeed rightPassword() {
    return password(PASSWORD);
  }

  /** Has the account read the changelog. */
  public Ds389WithFeed allow() {
    modify("cn=changelog", new Modification(ModificationType.ADD, "aci", ALLOW));
    return this;
  }

  /** Who may read what of the server, and of the suffix what it is. */
  Ds389WithFeed monitor(String aci) {
    modify("cn=monitor", new Modification(ModificationType.REPLACE, "aci", aci));
    return this;
  }

  /** Hides from the account what the uppermost entry is, or does so no more. */
  void nameless(ModificationType how) {
    modify(People.SUFFIX, new Modification(how, "aci", NAMELESS));
  }

  /** Something is in the changelog. */
  public Ds389WithFeed written() {
    modify(People.dn(0), new Modification(ModificationType.REPLACE, "st", "written"));
    return this;
  }

  public void modify(String dn, Modification... what) {
    try {
      root.modify(dn, what);
    } catch (LDAPException e) {
      throw new AssertionError(e);
    }
  }

  /** How far the server says that it has counted. */
  long counted() {
    try {
      return root.getEntry("", "lastChangeNumber").getAttributeValueAsLong("lastChangeNumber");
    } catch (LDAPException e) {
      throw new AssertionError(e);
    }
  }

  /** Whether Stoa has heard of all up to there. */
  boolean isCovered(long number) {
    String mark = "%019d".formatted(number);
    return report().domain().covered().marks().containsValue(mark);
  }

  /** Somebody, as at the beginning. */
  static Entry person(int number) {
    return new Entry(
        People.dn(number),
        new Attribute("objectClass", "inetOrgPerson"),
        new Attribute("uid", "user." + number),
        new Attribute("cn", "user." + number),
        new Attribute("sn", "Person"),
        new Attribute("l", "nowhere"));
  }

  void city(int person, String name) {
    modify(People.dn(person), new Modification(ModificationType.REPLACE, "l", name));
  }

  /** Begins {@link #root} again, after the server has been started again. */
  void connect() {
    if (root != null) {
      root.close();
    }
    root = SlapdWithFeed.connect(server.address(), Ds389Config.ROOT, Ds389Config.ROOT_PASSWORD);
  }

  /** Another one like {@link #root}. */
  public LDAPConnection newRoot() throws LDAPException {
    return new LDAPConnection(
        "127.0.0.1", server.address().getPort(), Ds389Config.ROOT, Ds389Config.ROOT_PASSWORD);
  }

  public Ds389 server() {
    return server;
  }

  /** Whoever may do anything, by a connection to the server. */
  public LDAPConnection root() {
    return root;
  }

  public RunningProxy proxy() {
    return proxy;
  }

  public InetSocketAddress address() {
    return proxy.address();
  }

  /** Somebody who asks Stoa. */
  public LDAPConnection client(int person) {
    return SlapdWithFeed.connect(proxy.address(), People.dn(person), People.PASSWORD);
  }

  /** What has become of its one naming context. */
  public DomainReport report() {
    List<DomainReport> feeds = proxy.status().feeds();
    return feeds.get(0);
  }

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
    Await.until("the feed is live", () -> CacheObserver.isLiveSince(now, this::firstReport));
  }

  private DomainReport firstReport() {
    return proxy.status().feeds().stream().findFirst().orElse(null);
  }

  /** Whether that is answered from memory. */
  public boolean isRemembered(Callable<?> read) throws Exception {
    return memory().isRemembered(read);
  }

  private CacheObserver memory() {
    return new CacheObserver(proxy, maxAge);
  }

  /** Asks until the answer has come from memory for much longer than its age would permit. */
  public void awaitHeldByFeed(String what, Callable<?> read) {
    memory().awaitHeldByFeed(what, read);
  }

  /** The same of searches. */
  public void awaitHeldByFeed(LDAPConnection client, String... filters) {
    for (String filter : filters) {
      awaitHeldByFeed(filter, () -> SlapdWithFeed.find(client, filter, "uid", "l"));
    }
  }

  @Override
  public void close() {
    if (proxy != null) {
      proxy.close();
    }
    if (root != null) {
      root.close();
    }
    if (way != null) {
      way.close();
    }
    server.close();
    Leftovers.delete(directory);
  }
}

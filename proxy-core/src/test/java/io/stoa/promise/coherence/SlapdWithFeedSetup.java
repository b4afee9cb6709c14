// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import io.stoa.cache.result.CacheConfig;
import io.stoa.cache.result.CacheConfig.Invalidation;
import io.stoa.cache.sharing.Declaration;
import io.stoa.cache.sharing.SharingConfig;
import io.stoa.coherence.rights.DerivedConfig;
import io.stoa.feed.syncrepl.FeedConfig;
import io.stoa.feed.syncrepl.FeedConfig.Restarts;
import io.stoa.proxy.feeds.CoherenceConfig;
import io.stoa.proxy.feeds.CoherenceConfig.Apply;
import io.stoa.replication.ReplicationConfig;
import io.stoa.testing.Ldif;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.Records;
import io.stoa.testing.ServiceWatch;
import io.stoa.testing.SlapdConfig;
import io.stoa.upstream.balancing.BalanceConfig;
import io.stoa.upstream.balancing.BalanceConfig.Reads;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What {@link SlapdWithFeed} are started with, and what a test changes of it. Not thread-safe. */
public final class SlapdWithFeedSetup {
  private static final String SETTINGS =
      """
      index objectClass,uid,entryUUID,entryCSN eq
      limits dn.exact="cn=feed,dc=example,dc=com" size=unlimited time=unlimited
      access to attrs=userPassword by anonymous auth by self write by * none
      %s
      access to attrs=description by self read by dn.exact="cn=feed,dc=example,dc=com" read by * none
      access to * by self write by * read
      %s
      """;

  private final Ldif tree;
  private final Duration maxAge;
  private Duration bound = Duration.ofSeconds(1);
  private Duration rights = Duration.ofHours(1);
  private boolean seesAll = true;
  private DerivedConfig derived = DerivedConfig.DEFAULTS;
  private Apply apply = Apply.IN_PLACE;
  private String access = "";
  private String global = "";
  private String database = "";
  private String overlay = "";
  private Accesslog log = Accesslog.NONE;
  private boolean acts;
  private boolean relayed;
  private boolean refresh;
  private int audits;
  private Restarts restarts = Restarts.GAP;
  private int cached = CacheConfig.DEFAULTS.filterCacheSize();
  private int replicas;
  private boolean faulty;
  private Duration maxLag = Duration.ofSeconds(10);
  private Duration pause;
  private Invalidation invalidation = Invalidation.PRECISE;
  private SharingConfig sharing = SharingConfig.DEFAULTS;

  private SlapdWithFeedSetup(Ldif tree, Duration maxAge) {
    this.tree = tree;
    this.maxAge = maxAge;
  }

  /**
   * So many people.
   *
   * @param maxAge how old what does not rest on the feed may be
   */
  public static SlapdWithFeedSetup of(int people, Duration maxAge) {
    return new SlapdWithFeedSetup(People.tree(people), maxAge);
  }

  /** By these rules the account of the feed may not see everything, and nobody says that it may. */
  SlapdWithFeedSetup blind(String rules) {
    access = rules;
    seesAll = false;
    return this;
  }

  /** These lines alone are the settings of the database; nothing is declared. */
  SlapdWithFeedSetup database(String lines) {
    database = lines;
    seesAll = false;
    return this;
  }

  /** Rules of access that come before the others. */
  SlapdWithFeedSetup access(String rules) {
    access = rules;
    return this;
  }

  /** Stoa acts for clients as {@link ServiceWatch#DN}, which may act for these. */
  SlapdWithFeedSetup acting(String... whom) {
    acts = true;
    List<String> lines = new ArrayList<>();
    lines.addAll(List.of("objectClass: organizationalRole", "objectClass: simpleSecurityObject"));
    lines.addAll(List.of("cn: stoa", "userPassword: " + ServiceWatch.PASSWORD));
    Arrays.stream(whom).map("authzTo: "::concat).forEach(lines::add);
    return entry(ServiceWatch.DN, lines.toArray(String[]::new));
  }

  /** The same, where its password is kept below a directory. */
  public ProxySetup actingFrom(Path directory, ProxySetup proxy) {
    return acts ? proxy.upstream("identity", ServiceWatch.identity(directory)) : proxy;
  }

  /** Lines that stand before the database. */
  SlapdWithFeedSetup global(String lines) {
    global = lines;
    return this;
  }

  /** Everybody may read cn=config, so that it is known what a write may change. */
  SlapdWithFeedSetup configured() {
    return global("database config\naccess to * by * read\n");
  }

  /** How old what rests on the feed may be. */
  SlapdWithFeedSetup bound(Duration time) {
    bound = time;
    return this;
  }

  /** What becomes of an answer that a change alters. */
  SlapdWithFeedSetup apply(Apply what) {
    apply = what;
    return this;
  }

  /** For how long the rights of clients are taken for what they were. */
  public SlapdWithFeedSetup rights(Duration time) {
    rights = time;
    return this;
  }

  /** These attributes are declared to be repaired when other entries are renamed or deleted. */
  SlapdWithFeedSetup linked(String... attributes) {
    derived = derived.union(new DerivedConfig(List.of(), List.of(attributes), List.of()));
    return this;
  }

  /** One of slapd, besides syncprov; lines of its own may follow. */
  SlapdWithFeedSetup overlay(String name) {
    overlay = name;
    return this;
  }

  /** slapd keeps an accesslog. */
  public SlapdWithFeedSetup logged(Accesslog how) {
    log = how;
    return this;
  }

  public Accesslog log() {
    return log;
  }

  /** Stoa reaches slapd by a {@link FeedRelay}. */
  public SlapdWithFeedSetup behindRelay() {
    relayed = true;
    return this;
  }

  /** Stoa reaches each of several servers by a way that can have faults. */
  SlapdWithFeedSetup behindFaultyWays() {
    faulty = true;
    return this;
  }

  public boolean isFaulty() {
    return faulty;
  }

  /** So far may a server be behind from which is read. */
  SlapdWithFeedSetup maxLag(Duration time) {
    maxLag = time;
    return this;
  }

  /** For so long nothing is given from memory after a write whose outcome is not known. */
  SlapdWithFeedSetup pausing(Duration time) {
    pause = time;
    return this;
  }

  /** So many servers follow the one that takes writes. */
  public SlapdWithFeedSetup replicas(int count) {
    replicas = count;
    return this;
  }

  /** Any change makes everything void. */
  SlapdWithFeedSetup voidingEverything() {
    invalidation = Invalidation.EVERYTHING;
    return this;
  }

  /** What is used a lot is asked for again before a client does. */
  SlapdWithFeedSetup refreshing() {
    refresh = true;
    return this;
  }

  /** So many results in a second are compared with the directory. */
  SlapdWithFeedSetup audited(int perSecond) {
    audits = perSecond;
    return this;
  }

  /** So many results are kept, and as many entries. */
  SlapdWithFeedSetup cached(int max) {
    cached = max;
    return this;
  }

  /** The caches have the bounds that were said, and are looked after so. */
  public ProxySetup cachesOf(ProxySetup proxy) {
    return proxy
        .cache("filterCacheSize", cached)
        .cache("entryCacheSize", cached)
        .cache("refresh", refresh)
        .cache("auditPerSecond", audits);
  }

  public Invalidation invalidation() {
    return invalidation;
  }

  /** Some share what is stored. */
  public SlapdWithFeedSetup sharing(Declaration... classes) {
    sharing = new SharingConfig(List.of(classes), SharingConfig.DEFAULTS.oneIn());
    return this;
  }

  public SharingConfig sharing() {
    return sharing;
  }

  /** One more entry. */
  public SlapdWithFeedSetup entry(String dn, String... lines) {
    tree.entry(dn, lines);
    return this;
  }

  public Ldif tree() {
    return tree;
  }

  public Duration maxAge() {
    return maxAge;
  }

  public boolean isRelayed() {
    return relayed;
  }

  /** Where there are replicas, they alone are read, but for those behind ways that have faults. */
  public ProxySetup readAt(ProxySetup setup) {
    ReplicationConfig lag =
        new ReplicationConfig(
            ReplicationConfig.SessionScope.IDENTITY, maxLag, Duration.ofMillis(250));
    ProxySetup proxy = setup.upstream("replication", lag);
    proxy = pause == null ? proxy : proxy.upstream("writeCoherence", pause);
    BalanceConfig reads = Records.with(BalanceConfig.DEFAULTS, "reads", Reads.REPLICAS);
    return replicas == 0 || faulty ? proxy : proxy.upstream("balance", reads);
  }

  public int replicas() {
    return replicas;
  }

  /** Lines of slapd.conf, but for overlay syncprov. */
  public String settings() {
    return !database.isEmpty()
        ? database
        : SETTINGS.formatted(access, overlay.isEmpty() ? "" : "overlay " + overlay);
  }

  private List<String> overlays() {
    return ("overlay " + overlay)
        .lines()
        .filter(line -> line.startsWith("overlay "))
        .map(line -> line.substring("overlay ".length()))
        .toList();
  }

  /** The administrator declares that databases are never edited offline. */
  public SlapdWithFeedSetup trustingRestarts() {
    restarts = Restarts.TRUSTED;
    return this;
  }

  public Restarts restarts() {
    return restarts;
  }

  public SlapdConfig stock() {
    SlapdConfig stock = SlapdConfig.stock().global(global);
    for (String line : overlay.isEmpty() ? List.<String>of() : overlays()) {
      stock = stock.module(line);
    }
    return stock;
  }

  public CoherenceConfig coherence(FeedConfig feed) {
    return new CoherenceConfig(feed, bound, rights, seesAll, derived, apply);
  }

  public SlapdWithFeed start() {
    return SlapdWithFeed.start(this);
  }
}

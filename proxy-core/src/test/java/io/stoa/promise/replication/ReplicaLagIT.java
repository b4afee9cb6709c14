// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.replication;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.extensions.PasswordModifyExtendedRequest;
import io.stoa.ldap.protocol.Oids;
import io.stoa.replication.ReplicationConfig;
import io.stoa.replication.ReplicationConfig.SessionScope;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Ldif;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Records;
import io.stoa.testing.ReplicatedSlapd;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.SlapdConfig;
import io.stoa.testing.Tlv;
import io.stoa.upstream.balancing.BalanceConfig;
import io.stoa.upstream.balancing.BalanceConfig.Reads;
import io.stoa.upstream.server.BackendState;
import io.stoa.upstream.server.BackendStatus;
import io.stoa.upstream.server.ReplicaStatus;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A real slapd and two that follow it, as slowly as a test wants: what sessions rely on holds, and
 * what lags is still read from wherever that does no harm. Replicas alone answer reads, so that a
 * read at the primary is one that had to go there.
 */
class ReplicaLagIT {
  private static final String SUFFIX = "dc=example,dc=com";
  private static final String ADMIN = "cn=admin," + SUFFIX;
  private static final Pattern VALUE = Pattern.compile("v([0-9]+)v");
  private static final Duration MAX_LAG = Duration.ofSeconds(1);

  private static final Control REFRESH_AND_PERSIST =
      new Control(Oids.SYNC_REQUEST, true, new ASN1OctetString(Tlv.of(0x30, Tlv.integer(0x0a, 3))));

  private static final int COMPARE_TRUE = 6;
  private static final int INVALID_CREDENTIALS = 49;
  private static final int UNAVAILABLE = 52;

  private static ReplicatedSlapd servers;
  private static int number;
  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private RunningProxy proxy;

  @BeforeAll
  static void startServers() {
    Ldif ldif = new Ldif().entry(SUFFIX, "objectClass: domain", "dc: example");
    for (String name : List.of("a", "b", "c")) {
      ldif.entry(dn(name), "objectClass: device", "cn: " + name, "description: v0v");
    }
    ldif.entry(dn("user"), "objectClass: person", "cn: user", "sn: user", "userPassword: old");
    String access =
        """
        access to attrs=userPassword by self write by * read
        access to * by * read
        """;
    servers = ReplicatedSlapd.start(SlapdConfig.stock(), SUFFIX, access, ldif, 2);
  }

  @AfterAll
  static void stopServers() {
    servers.close();
  }

  @BeforeEach
  void start() {
    servers.lag(Duration.ZERO);
    servers.awaitEqual();
  }

  @AfterEach
  void stop() {
    if (proxy != null) {
      proxy.close();
    }
  }

  private static String dn(String name) {
    return "cn=" + name + "," + SUFFIX;
  }

  private ProxySetup setup(SessionScope session, Duration maxLag) {
    return ProxySetup.before(servers.ports())
        .upstream("balance", Records.with(BalanceConfig.DEFAULTS, "reads", Reads.REPLICAS))
        .upstream("replication", new ReplicationConfig(session, maxLag, Duration.ofMillis(50)));
  }

  private void start(ProxySetup setup) {
    proxy = setup.start();
    Await.until(
        "all are up and tell", () -> replicas().stream().noneMatch(r -> r.position().isEmpty()));
  }

  private List<ReplicaStatus> replicas() {
    return proxy.status().backends().stream().map(BackendStatus::replica).toList();
  }

  private static RawRequest readOf(String name) {
    return search(dn(name)).baseScope().attributes("description").request();
  }

  private static int value(RawLdapClient client, String name) {
    List<RawMessage> answer = client.call(readOf(name));
    Matcher found =
        VALUE.matcher(
            new String(answer.get(0).octets(), java.nio.charset.StandardCharsets.ISO_8859_1));
    assertThat(found.find()).as("an entry with a value").isTrue();
    return Integer.parseInt(found.group(1));
  }

  private int write(RawLdapClient client, String name) {
    int value = ++number;
    assertThat(client.code(Requests.replace(dn(name), "description", "v" + value + "v"))).isZero();
    return value;
  }

  private RawLdapClient admin() {
    return proxy.client().bind(ADMIN, "secret");
  }

  /** Behind Stoa's back: whoever shows it has been read from the primary. */
  private int writeAround(String name) {
    int value = ++number;
    try (RawLdapClient client = RawLdapClient.connect(servers.primary().address())) {
      client.bind(ADMIN, "secret");
      assertThat(client.code(Requests.replace(dn(name), "description", "v" + value + "v")))
          .isZero();
    }
    return value;
  }

  @Test
  void ownWritesAreSeenByAllConnectionsOfTheIdentity() {
    start(setup(SessionScope.IDENTITY, Duration.ofSeconds(30)).cachesOff());
    servers.lag(Duration.ofSeconds(5));
    try (RawLdapClient one = admin();
        RawLdapClient other = admin()) {
      for (int i = 0; i < 5; i++) {
        int written = write(one, "a");
        assertThat(value(one, "a")).isEqualTo(written);
        assertThat(value(other, "a")).isEqualTo(written);
        assertThat(found(other, "v" + written + "v")).isEqualTo(1);
      }
    }
  }

  /** Whoever has changed it: what was the password must not be one any more. */
  @Test
  void onlyTheNewPasswordIsAccepted() {
    start(setup(SessionScope.IDENTITY, Duration.ofSeconds(30)).cachesOff());
    servers.lag(Duration.ofSeconds(5));
    try (RawLdapClient admin = admin();
        RawLdapClient user = proxy.client()) {
      assertThat(user.code(Requests.bind(dn("user"), "old"))).isZero();
      assertThat(admin.code(Requests.replace(dn("user"), "userPassword", "new"))).isZero();
      assertThat(user.code(Requests.bind(dn("user"), "old"))).isEqualTo(INVALID_CREDENTIALS);
      assertThat(user.code(Requests.bind(dn("user"), "new"))).isZero();
    }
  }

  /**
   * Stoa binds as the user wherever it reads for it, and asks nobody who knows the old password.
   */
  @Test
  void aClientBoundWithANewPasswordIsServed() {
    start(setup(SessionScope.IDENTITY, Duration.ofSeconds(30)).cachesOff());
    try (RawLdapClient admin = admin();
        RawLdapClient user = proxy.client()) {
      addPerson(admin, "changing");
      assertThat(admin.code(Requests.replace(dn("changing"), "userPassword", "new"))).isZero();
      assertReadsOn(user, "changing");
      assertThat(admin.code(Requests.delete(dn("changing")))).isZero();
    }
  }

  /** RFC 3062: the entry is in the value of the request. */
  @Test
  void aClientIsServedAfterAPasswordModifyByAnother() {
    start(setup(SessionScope.IDENTITY, Duration.ofSeconds(30)).cachesOff());
    try (RawLdapClient admin = admin();
        RawLdapClient user = proxy.client()) {
      addPerson(admin, "changing");
      assertThat(admin.code(passwordModify(dn("changing"), "new"))).isZero();
      assertReadsOn(user, "changing");
      assertThat(usesPrimary(() -> admin.call(readOf("b")))).as("others read on").isFalse();
      assertThat(admin.code(Requests.delete(dn("changing")))).isZero();
    }
  }

  /** Whoever names nobody changes its own. */
  @Test
  void aClientIsServedAfterItsOwnPasswordModify() {
    start(setup(SessionScope.CONNECTION, Duration.ofSeconds(30)).cachesOff());
    try (RawLdapClient admin = admin();
        RawLdapClient user = proxy.client();
        RawLdapClient other = proxy.client()) {
      addPerson(admin, "changing");
      assertThat(user.code(Requests.bind(dn("changing"), "mine"))).isZero();
      assertThat(user.code(passwordModify(null, "new"))).isZero();
      assertReadsOn(other, "changing");
      assertThat(usesPrimary(() -> admin.call(readOf("b")))).as("others read on").isFalse();
      assertThat(admin.code(Requests.delete(dn("changing")))).isZero();
    }
  }

  private static RawRequest passwordModify(String user, String password) {
    var change = new PasswordModifyExtendedRequest(user, null, password);
    return Requests.extended(change.getOID(), change.getValue().getValue());
  }

  /** It binds with the new password, and no replica is asked to. */
  private void assertReadsOn(RawLdapClient user, String name) {
    assertThat(user.code(Requests.bind(dn(name), "new"))).isZero();
    long before = replicaBinds();
    for (int i = 0; i < 4; i++) {
      assertThat(user.code(readOf("b"))).isZero();
    }
    assertThat(replicaBinds()).isEqualTo(before);
  }

  /** The replicas have it, and nothing later. */
  private static void addPerson(RawLdapClient admin, String name) {
    RawRequest add =
        Requests.add(dn(name), "objectClass: person", "cn: " + name, "sn: x", "userPassword: mine");
    assertThat(admin.code(add)).isZero();
    servers.awaitEqual();
    servers.lag(Duration.ofHours(1));
  }

  private long replicaBinds() {
    return proxy.status().backends().stream().skip(1).mapToLong(BackendStatus::binds).sum();
  }

  /** A replica that does not know the name yet says that of a wrong password, too. */
  @Test
  void aClientBoundWithANewNameIsServed() {
    start(setup(SessionScope.IDENTITY, Duration.ofSeconds(30)).cachesOff());
    try (RawLdapClient admin = admin();
        RawLdapClient user = proxy.client()) {
      addPerson(admin, "first");
      assertThat(admin.code(Requests.rename(dn("first"), "cn=second", true))).isZero();
      assertThat(user.code(Requests.bind(dn("second"), "mine"))).isZero();
      for (int i = 0; i < 4; i++) {
        assertThat(user.code(readOf("b"))).isZero();
      }
      assertThat(admin.code(Requests.delete(dn("second")))).isZero();
    }
  }

  private static int found(RawLdapClient client, String value) {
    RawRequest search = search(SUFFIX).filter("(description=" + value + ")").request();
    return client.call(search).size() - 1;
  }

  private static List<RawMessage> find(RawLdapClient client, String filter) {
    return client.call(search(SUFFIX).filter(filter).attributes("description").request());
  }

  private boolean usesPrimary(Runnable search) {
    long before = proxy.status().backends().get(0).operations();
    search.run();
    return proxy.status().backends().get(0).operations() > before;
  }

  /**
   * A search below the suffix concerns all that is written: what it shows tells whether it does.
   */
  @Test
  void searchesWithoutChangedEntriesAreServedByLaggingReplicas() {
    start(setup(SessionScope.IDENTITY, Duration.ofSeconds(30)).cachesOff());
    servers.lag(Duration.ofHours(1));
    try (RawLdapClient client = admin()) {
      int hidden = writeAround("b");
      String written = "v" + write(client, "a") + "v";
      assertThat(find(client, "(cn=b)").get(0).mentions("v" + hidden + "v")).isFalse();
      assertThat(usesPrimary(() -> find(client, "(cn=c)"))).isFalse();
      assertThat(usesPrimary(() -> find(client, "(&(objectClass=device)(cn=x))"))).isFalse();
      assertThat(find(client, "(cn=a)").get(0).mentions(written)).isTrue();
      assertThat(find(client, "(|(cn=c)(cn=a))").toString()).contains(written);
      assertThat(find(client, "(description=" + written + ")")).hasSize(2);
      assertThat(usesPrimary(() -> find(client, "(description=other)"))).isTrue();
      assertThat(usesPrimary(() -> find(client, "(objectClass=person)"))).isTrue();
      assertThat(usesPrimary(() -> find(client, "(&(cn=c)(modifyTimestamp>=2020))"))).isTrue();
    }
  }

  /** Of a new entry, and of one that has become another kind of thing, the filter decides. */
  @Test
  void searchesForAddedEntriesGoToTheirWriter() {
    start(setup(SessionScope.IDENTITY, Duration.ofSeconds(30)).cachesOff());
    servers.lag(Duration.ofHours(1));
    try (RawLdapClient client = admin()) {
      RawRequest add = Requests.add(dn("new"), "objectClass: device", "cn: new");
      assertThat(client.code(add)).isZero();
      assertThat(find(client, "(cn=new)")).hasSize(2);
      assertThat(client.code(Requests.delete(dn("new")))).isZero();
      assertThat(find(client, "(cn=new)")).hasSize(1);
    }
  }

  /** Whether there is an entry below another is seen of that, which nobody has written. */
  @Test
  void attributesDerivedFromOwnWritesAreCurrent() {
    start(setup(SessionScope.IDENTITY, Duration.ofSeconds(30)).cachesOff());
    servers.lag(Duration.ofHours(1));
    String below = "cn=below," + dn("c");
    RawRequest shown = search(dn("c")).baseScope().attributes("hasSubordinates").request();
    RawRequest compared = Requests.compare(dn("c"), "hasSubordinates", "TRUE");
    try (RawLdapClient client = admin()) {
      RawRequest other = Requests.compare(dn("b"), "cn", "b");
      assertThat(client.code(Requests.add(below, "objectClass: device", "cn: below"))).isZero();
      assertThat(client.code(compared)).isEqualTo(COMPARE_TRUE);
      assertThat(client.call(shown).get(0).mentions("TRUE")).isTrue();
      assertThat(usesPrimary(() -> client.code(other))).isFalse();
      assertThat(client.code(Requests.delete(below))).isZero();
    }
  }

  /** The change is its own; that the entry is there at all, or found, is another one's doing. */
  @Test
  void aSessionFindsItsChangeToAnEntryAddedByAnother() {
    start(setup(SessionScope.CONNECTION, Duration.ofSeconds(30)).cachesOff());
    servers.lag(Duration.ofHours(1));
    try (RawLdapClient one = admin();
        RawLdapClient other = admin()) {
      RawRequest add = Requests.add(dn("new"), "objectClass: device", "cn: new");
      assertThat(one.code(add)).isZero();
      write(other, "new");
      assertThat(find(other, "(cn=new)")).hasSize(2);
      assertThat(one.code(Requests.delete(dn("new")))).isZero();
    }
  }

  @Test
  void readsOfUnchangedEntriesGoToLaggingReplicas() {
    start(setup(SessionScope.IDENTITY, Duration.ofSeconds(30)).cachesOff());
    servers.lag(Duration.ofSeconds(5));
    try (RawLdapClient client = admin()) {
      int before = value(client, "b");
      int hidden = writeAround("b");
      int written = write(client, "a");
      assertThat(value(client, "a")).isEqualTo(written);
      assertThat(value(client, "b")).isEqualTo(before).isNotEqualTo(hidden);
    }
  }

  @Test
  void writesOfAConnectionNeedNotBeSeenByOthersInConnectionScope() {
    start(setup(SessionScope.CONNECTION, Duration.ofSeconds(30)).cachesOff());
    servers.lag(Duration.ofSeconds(5));
    try (RawLdapClient one = admin();
        RawLdapClient other = admin()) {
      int before = value(other, "a");
      int written = write(one, "a");
      assertThat(value(one, "a")).isEqualTo(written);
      assertThat(value(other, "a")).isEqualTo(before);
    }
  }

  @Test
  void writesAreSeenByAllClientsInProxyScope() {
    start(setup(SessionScope.PROXY, Duration.ofSeconds(30)).cachesOff());
    servers.lag(Duration.ofSeconds(5));
    try (RawLdapClient one = admin();
        RawLdapClient nobody = proxy.client()) {
      int written = write(one, "a");
      assertThat(value(nobody, "a")).isEqualTo(written);
    }
  }

  /** The search goes on, and may never end: what it has shown is seen all the same. */
  @Test
  void changesShownByAPersistentSearchAreSeenByItsSession() {
    start(setup(SessionScope.IDENTITY, Duration.ofSeconds(30)).cachesOff());
    servers.lag(Duration.ofHours(1));
    try (RawLdapClient admin = admin();
        RawLdapClient watcher = proxy.client();
        RawLdapClient nobody = proxy.client()) {
      write(admin, "b");
      int search = watcher.send(search(SUFFIX).request().with(REFRESH_AND_PERSIST));
      awaitShown(watcher, search, "cn=user");
      int written = write(admin, "a");
      awaitShown(watcher, search, "v" + written + "v");
      assertThat(value(nobody, "a")).isEqualTo(written);
    }
  }

  private static void awaitShown(RawLdapClient client, int search, String text) {
    boolean shown = false;
    while (!shown) {
      shown = client.await(search, 1).get(0).mentions(text);
    }
  }

  /** The answer of a lagging server was kept, for one who need not see more. */
  @Test
  void hitsObeyTheSessionGuarantees() {
    start(setup(SessionScope.CONNECTION, Duration.ofSeconds(30)).maxAge(Duration.ofMinutes(5)));
    servers.lag(Duration.ofSeconds(5));
    try (RawLdapClient one = admin();
        RawLdapClient other = admin();
        RawLdapClient third = admin()) {
      int written = write(one, "a");
      int old = value(other, "a");
      assertThat(old).isNotEqualTo(written);
      long hits = proxy.cache().filterHits();
      assertThat(value(third, "a")).isEqualTo(old);
      assertThat(proxy.cache().filterHits()).isEqualTo(hits + 1);
      assertThat(value(one, "a")).isEqualTo(written);
      assertThat(value(other, "a")).isEqualTo(written); // what is stored now
      servers.lag(Duration.ZERO);
      servers.awaitEqual();
      assertThat(value(one, "a")).isEqualTo(written);
    }
  }

  /** A write by another ends what is stored; what a lagging server gives then is not new. */
  @Test
  void staleAnswersOfLaggingReplicasDoNotOutliveTheLag() {
    start(setup(SessionScope.CONNECTION, Duration.ofSeconds(30)).maxAge(Duration.ofMinutes(5)));
    servers.lag(Duration.ofSeconds(2));
    try (RawLdapClient one = admin();
        RawLdapClient other = admin()) {
      int written = write(one, "a");
      assertThat(value(other, "a")).isNotEqualTo(written);
      servers.awaitEqual();
      Await.until("nobody lags", () -> replicas().stream().allMatch(r -> r.lagMillis() == 0));
      Await.until("the replicas' answer is new", () -> value(one, "a") == written);
      assertThat(value(one, "a")).isEqualTo(written);
    }
  }

  /** It is too old before what the primary has given before it. */
  @Test
  void theLagOfTheServerCountsAsAgeOfAResult() {
    start(setup(SessionScope.IDENTITY, Duration.ofSeconds(30)).maxAge(Duration.ofSeconds(4)));
    servers.lag(Duration.ofHours(1));
    try (RawLdapClient client = proxy.client();
        RawLdapClient admin = admin()) {
      int before = value(client, "b");
      writeAround("b");
      int written = write(admin, "a");
      Await.until("both are 2 s behind", this::lagsTwoSeconds);
      assertThat(value(admin, "a")).isEqualTo(written);
      RawRequest other = search(dn("b")).baseScope().attributes("description", "cn").request();
      assertThat(client.call(other).get(0).mentions("v" + before + "v")).isTrue();
      Await.until("the answer is too old", () -> misses(() -> client.call(other)));
      assertThat(misses(() -> value(admin, "a"))).as("the primary's is").isFalse();
    }
  }

  private boolean misses(Runnable read) {
    long before = proxy.cache().filterMisses();
    read.run();
    return proxy.cache().filterMisses() > before;
  }

  private boolean lagsTwoSeconds() {
    return replicas().stream().skip(1).allMatch(r -> r.lagMillis() > 2000);
  }

  @Test
  void aReplicaBeyondMaxLagGetsNoReadsUntilItCatchesUp() {
    start(setup(SessionScope.IDENTITY, MAX_LAG).cachesOff());
    servers.relay(0).delay(Duration.ofHours(1));
    int hidden = writeAround("c");
    Await.until("it is behind", () -> replicas().get(1).behind());
    Await.until("the other has it", () -> position(1).equals(servers.position(servers.primary())));
    assertThat(replicas().get(2).behind()).isFalse();
    assertThat(replicas().get(1).lagMillis()).isGreaterThanOrEqualTo(MAX_LAG.toMillis());
    try (RawLdapClient client = proxy.client()) {
      for (int i = 0; i < 20; i++) {
        assertThat(value(client, "c")).isEqualTo(hidden);
      }
    }
    servers.lag(Duration.ZERO);
    Await.until("it has caught up", () -> !replicas().get(1).behind());
    assertThat(replicas().get(1).lagMillis()).isZero();
  }

  private static List<String> position(int replica) {
    return servers.position(servers.replica(replica));
  }

  /** Both are behind: the primary answers; is that gone too, they do. */
  @Test
  void laggingReplicasAnswerIfThePrimaryIsDown() {
    start(setup(SessionScope.IDENTITY, MAX_LAG).cachesOff());
    servers.lag(Duration.ofHours(1));
    try (RawLdapClient client = proxy.client()) {
      int before = value(client, "c");
      int hidden = writeAround("c");
      Await.until(
          "both are behind", () -> replicas().stream().skip(1).allMatch(ReplicaStatus::behind));
      assertThat(value(client, "c")).isEqualTo(hidden);
      servers.primary().kill();
      assertThat(value(client, "c")).isEqualTo(before);
      assertThat(uncovered()).isZero();
    } finally {
      servers.primary().restart();
    }
  }

  private long uncovered() {
    return replicas().stream().mapToLong(ReplicaStatus::uncovered).sum();
  }

  @Test
  void aWriterGetsAStaleAnswerIfItsServerIsLost() {
    start(setup(SessionScope.IDENTITY, Duration.ofSeconds(30)).cachesOff());
    servers.lag(Duration.ofHours(1));
    try (RawLdapClient client = admin()) {
      int before = value(client, "c");
      int written = write(client, "c");
      assertThat(value(client, "c")).isEqualTo(written);
      servers.primary().kill();
      assertThat(value(client, "c")).isEqualTo(before);
      assertThat(uncovered()).isPositive();
    } finally {
      servers.primary().restart();
    }
  }

  /** What was never sent keeps nobody from what is known, however often it is tried. */
  @Test
  void failedWritesCostNothingWithoutAPrimary() {
    start(setup(SessionScope.IDENTITY, Duration.ofSeconds(30)).maxAge(Duration.ofMinutes(5)));
    try (RawLdapClient client = admin()) {
      int before = value(client, "c");
      servers.primary().kill();
      Await.until("it is down", () -> proxy.status().backends().get(0).state() != BackendState.UP);
      for (int i = 0; i < 3; i++) {
        assertThat(client.code(Requests.replace(dn("c"), "description", "never")))
            .isEqualTo(UNAVAILABLE);
        assertThat(value(client, "c")).isEqualTo(before);
      }
      assertThat(proxy.cache().filterHits()).isPositive();
      assertThat(uncovered()).isZero();
    } finally {
      servers.primary().restart();
    }
  }

  /** What a server lacks that is down for long must not cost the reads at the others anything. */
  @Test
  void changesThatADownReplicaLacksTakeNoMemory() {
    start(setup(SessionScope.IDENTITY, Duration.ofHours(1)).cachesOff());
    servers.relay(1).delay(Duration.ofHours(1));
    servers.replica(1).kill();
    Await.until("it is down", () -> proxy.status().backends().get(2).state() == BackendState.DOWN);
    int last = 0;
    try (RawLdapClient admin = admin();
        RawLdapClient anybody = proxy.client()) {
      for (int i = 0; i < 300; i++) {
        last = write(admin, "abc".substring(i % 3, i % 3 + 1));
      }
      Await.until("the others have all", () -> proxy.status().unreplicatedWrites() == 0);
      servers.replica(1).restart();
      Await.until("it is up", () -> proxy.status().backends().get(2).state() == BackendState.UP);
      long before = operations(2);
      for (int i = 0; i < 100; i++) {
        assertThat(value(admin, "c")).isEqualTo(last);
      }
      assertThat(operations(2)).as("reads at a server that lacks much").isEqualTo(before);
      servers.lag(Duration.ZERO);
      int all = last;
      Await.until(
          "it is read from",
          () -> {
            assertThat(value(anybody, "c")).isEqualTo(all); // who need not bind there first
            return operations(2) > before;
          });
    }
  }

  private long operations(int server) {
    return proxy.status().backends().get(server).operations();
  }
}

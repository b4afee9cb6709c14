// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.engine;

import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.feed;
import static io.gatling.javaapi.core.CoreDsl.listFeeder;
import static io.gatling.javaapi.core.CoreDsl.repeat;
import static io.gatling.javaapi.core.CoreDsl.scenario;
import static io.stoa.loadtest.LdapDsl.attribute;
import static io.stoa.loadtest.LdapDsl.dn;
import static io.stoa.loadtest.LdapDsl.due;
import static io.stoa.loadtest.LdapDsl.entries;
import static io.stoa.loadtest.LdapDsl.ldap;
import static io.stoa.loadtest.LdapDsl.resultCode;
import static io.stoa.loadtest.LdapDsl.saveDn;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.SearchScope;
import io.gatling.javaapi.core.ChainBuilder;
import io.stoa.loadtest.LdapStep;
import io.stoa.loadtest.run.GatlingRun;
import io.stoa.testing.FreePort;
import io.stoa.testing.People;
import io.stoa.testing.Slapd;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The protocol within Gatling, in front of a real slapd. Reveals incompatibilities with new
 * versions of Gatling.
 */
class LdapProtocolIT {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private static Slapd slapd;

  private final Latencies latencies = new Latencies();
  @TempDir Path results;

  @BeforeAll
  static void start() {
    slapd = Slapd.start(People.slapd(20));
  }

  @AfterAll
  static void stop() {
    slapd.close();
  }

  private LdapProtocol protocol() {
    return ldap(slapd.address()).latencies(latencies);
  }

  private void run(int users, LdapProtocol protocol, ChainBuilder chain) {
    GatlingRun.run(
        scenario("test").exec(chain).injectOpen(atOnceUsers(users)).protocols(protocol),
        LIMIT,
        results,
        false);
  }

  private Latencies.Summary of(String name) {
    assertThat(latencies.byName()).containsKey(name);
    return latencies.byName().get(name);
  }

  private void right(String name, long count) {
    assertThat(latencies.mistakes()).isEmpty();
    assertThat(of(name).ok()).isEqualTo(count);
    assertThat(of(name).micros().getTotalCount()).isEqualTo(count);
  }

  @Test
  void eachUserSendsEveryOperationOnItsConnection() {
    long connections = slapd.totalConnections();
    run(
        2,
        protocol(),
        exec(session -> session.set("me", session.userId()))
            .exec(ldap("bind").bind(People.ROOT, "secret"))
            .exec(
                ldap("add")
                    .add("uid=new#{me}," + People.PEOPLE)
                    .attribute("objectClass", "inetOrgPerson")
                    .attribute("cn", "New")
                    .attribute("sn", "New", "Other"))
            .exec(
                ldap("modify")
                    .modify("uid=new#{me}," + People.PEOPLE)
                    .replace("cn", "Newer")
                    .add("mail", "new@example.com")
                    .delete("sn", "Other"))
            .exec(
                ldap("compare")
                    .compare("uid=new#{me}," + People.PEOPLE, "cn", "newer")
                    .check(resultCode(6)))
            .exec(
                ldap("rename")
                    .modifyDN("uid=new#{me}," + People.PEOPLE, "uid=old#{me}")
                    .keepOldRdn())
            .exec(
                ldap("read")
                    .search("uid=old#{me}," + People.PEOPLE)
                    .scope(SearchScope.BASE)
                    .attributes("uid", "mail", "sn")
                    .check(
                        entries(1),
                        dn("uid=old#{me}," + People.PEOPLE),
                        attribute("uid", "new#{me}"),
                        attribute("mail", "new@example.com")))
            .exec(ldap("delete").delete("uid=old#{me}," + People.PEOPLE))
            .exec(
                ldap("gone")
                    .search("uid=old#{me}," + People.PEOPLE)
                    .scope(SearchScope.BASE)
                    .check(resultCode(32), entries(0))));
    for (String name :
        List.of("bind", "add", "modify", "compare", "rename", "read", "delete", "gone")) {
      right(name, 2);
    }
    assertThat(slapd.totalConnections() - connections - 1).isEqualTo(2);
  }

  @Test
  void feedersAndSessionAttributesFillRequests() {
    List<Map<String, Object>> records = List.of(Map.of("uid", "user.3"), Map.of("uid", "user.4"));
    run(
        1,
        protocol(),
        repeat(4)
            .on(
                feed(listFeeder(records).circular())
                    .exec(
                        ldap("find")
                            .search(People.SUFFIX)
                            .filter("(uid=#{uid})")
                            .attributes("cn")
                            .check(entries(1), saveDn("who")))
                    .exec(ldap("login").bind("#{who}", People.PASSWORD))));
    right("find", 4);
    right("login", 4);
  }

  @Test
  void usersOfAnEventLoopShareConnections() {
    long connections = slapd.totalConnections();
    run(
        50,
        protocol().boundAs(People.dn(1), People.PASSWORD).shared(1),
        repeat(20)
            .on(exec(ldap("find").search(People.SUFFIX).filter("(uid=user.1)").check(entries(1)))));
    right("find", 1000);
    assertThat(slapd.totalConnections() - connections - 1)
        .isLessThanOrEqualTo(2L * Runtime.getRuntime().availableProcessors());
  }

  /** A bind on a named line does not change the identity of the default line. */
  @Test
  void namedConnectionsHaveTheirOwnIdentity() {
    long connections = slapd.totalConnections();
    LdapStep write = ldap("by root").modify(People.dn(2)).replace("description", "by root");
    LdapStep refused =
        ldap("refused").on("logins").modify(People.dn(2)).replace("cn", "X").check(resultCode(50));
    run(
        3,
        protocol().boundAs(People.ROOT, "secret").shared(1),
        repeat(2)
            .on(
                exec(write)
                    .exec(ldap("login").on("logins").bind(People.dn(1), People.PASSWORD))
                    .exec(refused)
                    .exec(write)));
    right("by root", 12);
    right("login", 6);
    right("refused", 6);
    long shared = Math.min(3, Runtime.getRuntime().availableProcessors() * 2L);
    assertThat(slapd.totalConnections() - connections - 1).isBetween(4L, 3 + shared);
  }

  /** Latencies of wrong answers are in no histogram. */
  @Test
  void wrongAnswersAreMistakes() {
    run(
        1,
        protocol(),
        exec(ldap("few").search(People.PEOPLE).filter("(uid=user.1)").check(entries(2)))
            .exec(ldap("wrong").bind(People.dn(1), "wrong"))
            .exec(ldap("no filter").search(People.PEOPLE).filter("(")));
    assertThat(of("few").mistakes()).isEqualTo(1);
    assertThat(of("wrong").mistakes()).isEqualTo(1);
    assertThat(of("wrong").micros().getTotalCount()).isZero();
    assertThat(latencies.crashes()).isEqualTo(1);
    assertThat(latencies.mistakes())
        .contains("few: 1 entries instead of 2")
        .anyMatch(mistake -> mistake.startsWith("wrong: result code 49"))
        .noneMatch(mistake -> mistake.contains(People.PASSWORD));
  }

  @Test
  void aSilentServerTimesOutRequests() throws Exception {
    try (ServerSocket silent = new ServerSocket(0)) {
      InetSocketAddress address = local(silent.getLocalPort());
      run(
          1,
          ldap(address).latencies(latencies).timeout(Duration.ofMillis(300)),
          exec(ldap("find").search("")));
    }
    assertThat(latencies.mistakes()).containsExactly("find: timed out");
  }

  @Test
  void aRefusedConnectionIsAMistake() {
    InetSocketAddress address = local(FreePort.next());
    run(2, ldap(address).latencies(latencies), exec(ldap("find").search("")));
    assertThat(of("find").mistakes()).isEqualTo(2);
    assertThat(latencies.mistakes()).allMatch(mistake -> mistake.contains("cannot connect"));
  }

  /** A server that stops for a second delays only the requests that were due meanwhile. */
  @Test
  void latencyCountsFromWhenARequestWasDue() {
    LdapStep find = ldap("find").search(People.SUFFIX).filter("(uid=user.1)");
    run(
        1,
        protocol(),
        exec(ldap("connect").connect())
            .exec(
                session -> {
                  stopForASecond();
                  return session;
                })
            .exec(repeat(30).on(exec(due(Duration.ofMillis(50))).exec(find))));
    right("find", 30);
    assertThat(latencies.byName()).doesNotContainKey("connect");
    assertThat(of("find").micros().getCountBetweenValues(200_000, 60_000_000)).isGreaterThan(8);
  }

  private static void stopForASecond() {
    slapd.freeze();
    CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS).execute(slapd::thaw);
  }

  private static InetSocketAddress local(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }
}

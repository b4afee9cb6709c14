// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.identity;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.protocol.BindRequestProtocolOp;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.ServiceWatch;
import io.stoa.upstream.balancing.BalanceConfig;
import io.stoa.upstream.balancing.BalanceConfig.Reads;
import io.stoa.upstream.connection.ProbeConfig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Two servers that take each password once between them, as privacyIDEA and Duo do. */
class SpentPasswordIT {
  private static final String X = People.dn(1);
  private static final String Y = People.dn(2);
  private static final int INVALID_CREDENTIALS = 49;
  private static final int UNAVAILABLE = 52;
  private static final int UNWILLING = 53;
  private static final int SEARCHES = 20;
  private static final int LOGINS = 3;
  private static final RawRequest READ = search(X).baseScope().request();
  private static final RawRequest WRITE = Requests.replace(X, "description", "new");
  private static final RawRequest PAGE = READ.with(new SimplePagedResultsControl(1));

  @RegisterExtension final ExpectedLog log = new ExpectedLog();
  @RegisterExtension final ScriptedUpstream primary = ServiceWatch.upstream();
  @RegisterExtension final ScriptedUpstream replica = ServiceWatch.upstream();

  private final Set<String> spent = ConcurrentHashMap.newKeySet();

  @BeforeEach
  void takeEachPasswordOnce() {
    for (ScriptedUpstream server : List.of(primary, replica)) {
      server.when(
          request -> isBind(request) && !spent.add(credentials(request)),
          Answers.result(INVALID_CREDENTIALS));
    }
  }

  private static String credentials(Received bind) {
    BindRequestProtocolOp op = bind.message().decoded().getBindRequestProtocolOp();
    return op.getBindDN() + ' ' + op.getSimplePassword().stringValue();
  }

  private static boolean isBind(Received request) {
    return request.is(Received.BIND)
        && (request.message().mentions(X) || request.message().mentions(Y));
  }

  private static int binds(ScriptedUpstream... servers) {
    return Arrays.stream(servers)
        .mapToInt(one -> one.received(SpentPasswordIT::isBind).size())
        .sum();
  }

  private ProxySetup setup(ScriptedUpstream... servers) {
    return ProxySetup.before(Arrays.stream(servers).mapToInt(ScriptedUpstream::port).toArray())
        .cachesOff()
        .upstream("probe", Records.with(ProbeConfig.DEFAULTS, "interval", Duration.ofMillis(50)));
  }

  /** Sends searches in one segment, so that several are in flight; returns how many succeed. */
  private static long searches(RawLdapClient client) {
    RawRequest[] requests = new RawRequest[SEARCHES];
    Arrays.fill(requests, READ);
    int first = client.sendTogether(requests);
    return IntStream.range(first, first + SEARCHES)
        .filter(id -> RawLdapClient.last(client.await(id)).resultCode() == 0)
        .count();
  }

  /** Searches until a second connection was needed, whose bind the server has refused. */
  private void awaitRefusedRebind(RawLdapClient client) {
    Await.until(
        "the code is spent",
        () -> {
          assertThat(searches(client)).isEqualTo(SEARCHES);
          return binds(primary) == 2;
        });
  }

  /** The first login costs one failed attempt at both servers together, and later ones none. */
  private void assertServed(RunningProxy proxy) {
    for (int login = 1; login <= LOGINS; login++) {
      try (RawLdapClient client = proxy.client().bind(X, "code" + login)) {
        assertThat(searches(client)).isEqualTo(SEARCHES);
      }
      assertThat(binds(primary, replica)).isBetween(login, login + 1);
    }
  }

  @Test
  void aSpentPasswordIsTriedOnceAtOneServer() {
    try (RunningProxy proxy =
        setup(primary, replica).upstream("maxInFlightPerConnection", 1).start()) {
      assertServed(proxy.awaitUp(2));
    }
  }

  /** The second bind is refused by a replica, and a primary is not asked. */
  @Test
  void aRefusalByAReplicaIsFinal() {
    BalanceConfig replicas = Records.with(BalanceConfig.DEFAULTS, "reads", Reads.REPLICAS);
    replica.goDown();
    try (RunningProxy proxy = setup(primary, replica).upstream("balance", replicas).start();
        RawLdapClient client = proxy.client().bind(X, "code")) {
      replica.comeBack();
      proxy.awaitUp(2);
      assertThat(searches(client)).isEqualTo(SEARCHES);
      assertThat(client.code(WRITE)).isZero();
      assertThat(binds(primary)).isEqualTo(1);
      assertThat(binds(replica)).isEqualTo(1);
    }
  }

  /** An identity with a password for one bind keeps its connection where others have none. */
  @Test
  void aClientThatCannotRebindKeepsItsConnection() {
    ProxySetup setup =
        setup(primary).upstream("maxInFlightPerConnection", 1).upstream("maxConnections", 2);
    try (RunningProxy proxy = RunningProxy.start(Records.with(setup.config(), "eventLoops", 1));
        RawLdapClient other = proxy.client();
        RawLdapClient client = proxy.client().bind(X, "code")) {
      awaitRefusedRebind(client);
      for (int round = 0; round < LOGINS; round++) {
        assertThat(searches(other)).isEqualTo(SEARCHES);
        assertThat(searches(client)).isEqualTo(SEARCHES);
      }
      assertThat(binds(primary)).isEqualTo(2);
    }
  }

  @Test
  void theOnlyConnectionThereMayBeServesAllSearches() {
    ProxySetup setup =
        setup(primary).upstream("maxInFlightPerConnection", 1).upstream("maxConnections", 1);
    try (RunningProxy proxy = RunningProxy.start(Records.with(setup.config(), "eventLoops", 1));
        RawLdapClient client = proxy.client().bind(X, "code")) {
      for (int round = 0; round < LOGINS; round++) {
        assertThat(searches(client)).isEqualTo(SEARCHES);
      }
      assertThat(binds(primary)).isEqualTo(1);
    }
  }

  @Test
  void aWriteIsRefusedWhereTheClientIsBoundAtAReplica() {
    try (RunningProxy proxy = setup(primary, replica).start()) {
      proxy.awaitUp(2);
      primary.goDown();
      Await.until("the primary is down", () -> proxy.up() == 1);
      try (RawLdapClient client = proxy.client().bind(X, "code")) {
        primary.comeBack();
        proxy.awaitUp(2);
        for (int write = 0; write < LOGINS; write++) {
          RawMessage refused = RawLdapClient.last(client.call(WRITE));
          assertThat(refused.resultCode()).isEqualTo(UNWILLING);
          assertThat(refused.mentions("bind again")).isTrue();
          assertThat(client.code(READ)).isZero();
        }
        assertThat(binds(primary)).isEqualTo(1);
        assertThat(binds(replica)).isEqualTo(1);
        client.bind(X, "another code");
        assertThat(client.code(WRITE)).isZero();
      }
    }
  }

  @Test
  void aClientWithoutAConnectionIsDisconnectedAtOnce() {
    try (RunningProxy proxy = setup(primary).upstream("maxInFlightPerConnection", 1).start();
        RawLdapClient client = proxy.client().bind(X, "code")) {
      awaitRefusedRebind(client);
      primary.dropConnections();
      RawMessage notice = client.next().orElseThrow();
      assertThat(notice.messageId()).isZero();
      assertThat(notice.resultCode()).isEqualTo(UNAVAILABLE);
      assertThat(client.next()).isEmpty();
      assertThat(binds(primary)).isEqualTo(2);
    }
  }

  /** A page needs a connection of its own, which the spent password cannot open. */
  @Test
  void dedicatedConnectionsAreRefused() {
    try (RunningProxy proxy = setup(primary).start();
        RawLdapClient client = proxy.client().bind(X, "code")) {
      for (int page = 0; page < LOGINS; page++) {
        assertThat(client.code(PAGE)).isEqualTo(UNWILLING);
        assertThat(client.code(READ)).isZero();
      }
      assertThat(binds(primary)).isEqualTo(2);
    }
  }

  /** The service account goes on to act for the client, also in what is better asked as it. */
  @Test
  void theServiceAccountServesTheClientInProxiedMode(@TempDir Path directory) {
    RawRequest rootDse = search("").baseScope().attributes("vendorName").request();
    try (RunningProxy proxy =
            setup(primary).upstream("identity", ServiceWatch.identity(directory)).start();
        RawLdapClient client = proxy.client().bind(X, "code");
        RawLdapClient paging = proxy.client().bind(Y, "code")) {
      assertThat(client.code(READ)).isZero();
      assertThat(client.code(rootDse)).isZero();
      assertThat(client.code(rootDse)).isZero();
      assertThat(client.code(WRITE)).isZero();
      assertThat(paging.code(PAGE)).isZero();
      assertThat(paging.code(PAGE)).isZero();
      assertThat(binds(primary)).isEqualTo(4);
      primary.dropConnections();
      assertThat(client.code(READ)).isZero();
    }
  }

  /** A connection that is held up does not make another attempt worth it. */
  @Test
  void aSearchWaitsForTheConnectionThatServesItsClient() {
    try (RunningProxy proxy = setup(primary).upstream("maxInFlightPerConnection", 1).start();
        RawLdapClient client = proxy.client().bind(X, "code")) {
      Held slow = primary.hold(request -> request.isSearchFor(X));
      int first = client.send(READ);
      slow.awaitArrival();
      int second = client.send(READ);
      primary.awaitReceived(2, SpentPasswordIT::isBind);
      slow.answer(Answers.success());
      assertThat(RawLdapClient.last(client.await(first)).resultCode()).isZero();
      assertThat(RawLdapClient.last(client.await(second)).resultCode()).isZero();
      assertThat(binds(primary)).isEqualTo(2);
    }
  }
}

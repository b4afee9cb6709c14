// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.identity;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
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
import io.stoa.upstream.auth.IdentityConfig;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Nothing is kept with which a client could be bound again, and there are several servers. */
class WithoutStoredPasswordsIT {
  private static final String X = People.dn(1);
  private static final String Y = People.dn(2);
  private static final int SEARCHES = 24;
  private static final RawRequest READ = search(X).baseScope().request();
  private static final RawRequest WRITE = Requests.replace(X, "description", "new");

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream primary;
  private ScriptedUpstream replica;
  private final ConcurrentLinkedQueue<Runnable> unanswered = new ConcurrentLinkedQueue<>();

  @BeforeEach
  void start() {
    primary = ScriptedUpstream.start();
    replica = ScriptedUpstream.start();
    primary.when(request -> request.isSearchFor("cn=busy"), Answers.silence());
    replica.when(
        request -> request.isSearchFor("cn=busy"),
        (request, link) -> unanswered.add(() -> Answers.success().to(request, link)));
  }

  @AfterEach
  void stop() {
    primary.close();
    replica.close();
  }

  private ProxySetup setup() {
    return ProxySetup.before(primary.port(), replica.port())
        .cachesOff()
        .replay("bindAffinity", false)
        .upstream("keepPasswords", false);
  }

  private static int binds(ScriptedUpstream server) {
    return server.received(request -> request.is(Received.BIND)).size();
  }

  /** Has the primary alone much to do. */
  private void occupyPrimary(RunningProxy proxy, RawLdapClient anonymous) {
    for (int i = 1; i <= SEARCHES; i++) {
      int all = i;
      anonymous.send(search("cn=busy" + i).baseScope().request());
      Await.until("it is there", () -> searches(primary) + searches(replica) == all);
    }
    Await.until("all are held", () -> unanswered.size() == searches(replica));
    unanswered.forEach(Runnable::run);
    Await.until("one is free", () -> proxy.status().backends().get(1).outstanding() == 0);
    assertThat(proxy.status().backends().get(0).outstanding()).isGreaterThan(SEARCHES / 4);
  }

  private static int searches(ScriptedUpstream server) {
    return server.received(request -> request.isSearchFor("cn=busy")).size();
  }

  @Test
  void aBindGoesToTheBusyPrimaryForLaterWrites() {
    try (RunningProxy proxy = setup().start().awaitUp();
        RawLdapClient busy = proxy.client();
        RawLdapClient client = proxy.client()) {
      occupyPrimary(proxy, busy);
      client.bind(X, People.PASSWORD);
      assertThat(client.code(WRITE)).isZero();
      assertThat(binds(primary)).isEqualTo(1);
    }
  }

  /** No other server could know who the client is. */
  @Test
  void readsGoWhereTheClientHasBound() {
    try (RunningProxy proxy = setup().start().awaitUp();
        RawLdapClient client = proxy.client().bind(X, People.PASSWORD);
        RawLdapClient busy = proxy.client()) {
      occupyPrimary(proxy, busy);
      assertThat(client.code(READ)).isZero();
      assertThat(primary.received(request -> request.isSearchFor(X))).hasSize(1);
    }
  }

  @Test
  void aClientBoundAtAReplicaReadsThereUntilItWrites() {
    try (RunningProxy proxy = setup().start().awaitUp()) {
      primary.goDown();
      Await.until("it is down", () -> !isUp(proxy));
      try (RawLdapClient client = proxy.client().bind(X, People.PASSWORD)) {
        assertThat(client.code(READ)).isZero();
        primary.comeBack();
        Await.until("it is up", () -> isUp(proxy));
        assertThat(client.code(READ)).isZero();
        client.send(WRITE);
        assertThat(client.drain()).extracting(RawMessage::messageId).containsExactly(0);
      }
    }
  }

  private static boolean isUp(RunningProxy proxy) {
    return proxy.status().backends().get(0).state().name().equals("UP");
  }

  /** Whose password is kept can be bound anywhere. */
  @Test
  void bindsAreSpreadIfPasswordsAreStored() {
    try (RunningProxy proxy = setup().upstream("keepPasswords", true).start().awaitUp();
        RawLdapClient busy = proxy.client();
        RawLdapClient client = proxy.client()) {
      occupyPrimary(proxy, busy);
      client.bind(X, People.PASSWORD);
      assertThat(binds(replica)).isEqualTo(1);
      assertThat(client.code(WRITE)).isZero();
    }
  }

  /** It acts for all but those that the administrator names. */
  @Test
  void onlyClientsWithOwnConnectionsBindAtThePrimary(@TempDir Path directory) {
    for (ScriptedUpstream server : List.of(primary, replica)) {
      server.when(
          ServiceWatch::isRootDse,
          Answers.entries(ServiceWatch.rootDse("supportedControl", ServiceWatch.OID)));
    }
    IdentityConfig identity =
        Records.with(ServiceWatch.identity(directory), "neverProxied", List.of(X));
    try (RunningProxy proxy = setup().upstream("identity", identity).start().awaitUp();
        RawLdapClient busy = proxy.client();
        RawLdapClient itself = proxy.client();
        RawLdapClient other = proxy.client()) {
      occupyPrimary(proxy, busy);
      itself.bind(X, People.PASSWORD);
      other.bind(Y, People.PASSWORD);
      assertThat(primary.received(request -> isBindOf(X, request))).hasSize(1);
      assertThat(replica.received(request -> isBindOf(Y, request))).hasSize(1);
      assertThat(itself.code(WRITE)).isZero();
      assertThat(other.code(WRITE)).isZero();
    }
  }

  private static boolean isBindOf(String name, Received request) {
    return request.is(Received.BIND) && request.message().mentions(name);
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.failover;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Entry;
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
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.upstream.connection.ProbeConfig;
import io.stoa.upstream.server.BackendState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** No directory server is left: what is answered from memory, and that nothing hangs. */
class OutageIT {
  private static final int UNAVAILABLE = 52;
  private static final String ANNA = "uid=anna,ou=people,dc=example,dc=com";
  private static final RawRequest READ = search(ANNA).baseScope().request();
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration SHORT = Duration.ofMillis(100);

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream upstream;

  @BeforeEach
  void start() {
    upstream = ScriptedUpstream.start();
    upstream.when(OutageIT::isRead, Answers.entries(Answers.person("anna", "old")));
  }

  @AfterEach
  void stop() {
    upstream.close();
  }

  private static boolean isRead(Received request) {
    return request.isSearchFor("uid=anna");
  }

  private ProxySetup setup() {
    return ProxySetup.before(upstream.port());
  }

  private ProxySetup stale(Duration serveStale) {
    return setup().maxAge(SHORT).cache("serveStale", serveStale);
  }

  private static boolean is(RunningProxy proxy, BackendState state) {
    return proxy.status().backends().get(0).state() == state;
  }

  private void goDown(RunningProxy proxy) {
    upstream.goDown();
    try (RawLdapClient client = proxy.client()) {
      assertThat(client.code(Requests.bind(ANNA, People.PASSWORD))).isEqualTo(UNAVAILABLE);
    }
    Await.until("it is down", () -> proxy.status().reason().contains("no directory server"));
  }

  /** Reads until it is too old to be given while a server is there. */
  private static void age(RunningProxy proxy, RawLdapClient client) {
    assertThat(client.call(READ)).hasSize(2);
    long misses = proxy.cache().filterMisses();
    Await.until(
        "it is too old",
        () -> {
          client.call(READ);
          return proxy.cache().filterMisses() > misses;
        });
  }

  @Test
  void onlyHitsAreServedDuringAnOutage() {
    try (RunningProxy proxy = setup().maxAge(HOUR).start();
        RawLdapClient client = proxy.client()) {
      assertThat(client.call(READ)).hasSize(2);
      goDown(proxy);
      client.patience(Duration.ofSeconds(2));
      assertThat(client.call(READ)).hasSize(2);
      assertThat(client.code(search("ou=other").request())).isEqualTo(UNAVAILABLE);
      assertThat(client.code(Requests.delete(ANNA))).isEqualTo(UNAVAILABLE);
      assertThat(client.code(Requests.bind(ANNA, People.PASSWORD))).isEqualTo(UNAVAILABLE);
      assertThat(client.code(Requests.anonymousBind())).isZero();
      assertThat(proxy.cache().staleServed()).isZero();
    }
  }

  @Test
  void expiredResultsAreRefused() {
    try (RunningProxy proxy = stale(Duration.ZERO).start();
        RawLdapClient client = proxy.client()) {
      age(proxy, client);
      goDown(proxy);
      Await.until("it is too old", () -> client.code(READ) == UNAVAILABLE);
    }
  }

  @Test
  void staleResultsAreServedUntilAServerIsBack() {
    try (RunningProxy proxy = stale(HOUR).start();
        RawLdapClient client = proxy.client()) {
      age(proxy, client);
      goDown(proxy);
      Await.until(
          "one is given that is too old",
          () -> client.call(READ).size() == 2 && proxy.cache().staleServed() > 0);
      assertThat(log.warningsOf("ResultStore$StaleAnswers")).hasSize(1);
      upstream.when(OutageIT::isRead, Answers.entries(Answers.person("anna", "new")));
      upstream.comeBack();
      Await.until("it is back", () -> is(proxy, BackendState.UP));
      long served = proxy.cache().staleServed();
      assertThat(client.call(READ).get(0).mentions("new")).isTrue();
      assertThat(proxy.cache().staleServed()).isEqualTo(served);
    }
  }

  /** The read that finds out that no server is left is no worse off than those that wait for it. */
  @Test
  void theReadThatFindsTheOutageGetsAStaleResult() {
    try (RunningProxy proxy = stale(HOUR).start();
        RawLdapClient client = proxy.client()) {
      age(proxy, client);
      Held held = upstream.hold(OutageIT::isRead);
      List<Integer> sent = new ArrayList<>();
      Await.until(
          "one is sent to the directory",
          () -> {
            sent.add(client.send(READ));
            return held.hasArrived();
          });
      upstream.goDown();
      assertThat(sent).allMatch(id -> code(client, id) == 0);
      assertThat(proxy.cache().staleServed()).isPositive();
    }
  }

  @Test
  void staleResultsAreNotServedBeyondTheCap() {
    try (RunningProxy proxy = stale(Duration.ofMillis(300)).start();
        RawLdapClient client = proxy.client()) {
      age(proxy, client);
      goDown(proxy);
      Await.until("it is much too old", () -> client.code(READ) == UNAVAILABLE);
    }
  }

  @Test
  void aResultInvalidatedByAWriteIsNeverServed() {
    try (RunningProxy proxy = stale(HOUR).start();
        RawLdapClient client = proxy.client()) {
      age(proxy, client);
      assertThat(client.code(Requests.replace(ANNA, "sn", "new"))).isZero();
      goDown(proxy);
      assertThat(client.code(READ)).isEqualTo(UNAVAILABLE);
    }
  }

  @Test
  void aStaleResultIsNeverServedToAnotherIdentity() {
    try (RunningProxy proxy = stale(HOUR).start();
        RawLdapClient anonymous = proxy.client();
        RawLdapClient bound = proxy.client().bind(ANNA, People.PASSWORD)) {
      age(proxy, bound);
      goDown(proxy);
      assertThat(anonymous.code(READ)).isEqualTo(UNAVAILABLE);
      assertThat(bound.call(READ)).hasSize(2);
    }
  }

  /** It says nothing any more, and its connections stay as they are. */
  @Test
  void operationsOnAHungServerAreRefusedWhenItIsDown() {
    ProxySetup setup =
        setup()
            .cachesOff()
            .upstream("maxInFlightPerConnection", 1)
            .upstream("maxConnections", 1)
            .upstream("connectTimeout", Duration.ofSeconds(1));
    Held held = upstream.hold(OutageIT::isRead);
    try (RunningProxy proxy = setup.start();
        RawLdapClient client = proxy.client().patience(Duration.ofSeconds(8));
        RawLdapClient binding = proxy.client().patience(Duration.ofSeconds(8))) {
      int read = client.send(READ);
      held.awaitArrival();
      upstream.always(Answers.silence());
      int queued = client.send(search("ou=other").request());
      int bind = binding.send(Requests.bind(ANNA, People.PASSWORD));
      assertThat(code(client, read)).isEqualTo(UNAVAILABLE);
      assertThat(code(client, queued)).isEqualTo(UNAVAILABLE);
      assertThat(code(binding, bind)).isEqualTo(UNAVAILABLE);
      assertThat(is(proxy, BackendState.UP)).isFalse();
    }
  }

  /** Nothing has been silent for the time of an attempt when the server goes down. */
  private ProxySetup patient(String base, Duration connectTimeout) {
    return setup()
        .cachesOff()
        .upstream("attemptTimeout", HOUR)
        .upstream("connectTimeout", connectTimeout)
        .upstream("probe", new ProbeConfig("", "", base, "", "", Duration.ofMillis(50)));
  }

  /** However lately it was asked: what is read is refused, and of writes nobody knows. */
  @Test
  void lateOperationsOnAHungServerAreAnsweredWhenItIsDown() {
    ProxySetup setup = patient("", Duration.ofMillis(1500));
    Held read = upstream.hold(OutageIT::isRead);
    Held write = upstream.hold(request -> request.is(Received.MODIFY));
    try (RunningProxy proxy = setup.start();
        RawLdapClient client = proxy.client().patience(Duration.ofSeconds(8));
        RawLdapClient writer = proxy.client().patience(Duration.ofSeconds(8))) {
      upstream.always(Answers.silence());
      final int asked = client.send(READ);
      final int written = writer.send(Requests.replace(ANNA, "sn", "new"));
      read.awaitArrival();
      write.awaitArrival();
      assertThat(code(client, asked)).isEqualTo(UNAVAILABLE);
      RawMessage unknown = RawLdapClient.last(writer.await(written));
      assertThat(unknown.resultCode()).isEqualTo(80);
      assertThat(unknown.mentions("outcome unknown:")).isTrue();
      assertThat(is(proxy, BackendState.UP)).isFalse();
      assertThat(client.code(READ)).isEqualTo(UNAVAILABLE);
      write.answer(Answers.success()); // which nobody waits for any more
      upstream.always(Answers.ordinary());
      Await.until("it is back", () -> is(proxy, BackendState.UP));
      assertThat(writer.code(Requests.delete(ANNA))).isZero();
    }
  }

  /** Nobody but its server can serve it, and that is down: it need not be asked for that. */
  @Test
  void aClientThatHasBoundBySaslIsRefusedAtOnce() {
    try (RunningProxy proxy = patient("", Duration.ofMillis(1500)).start();
        RawLdapClient client = proxy.client()) {
      assertThat(client.code(Requests.saslBind("X-TEST", "token"))).isZero();
      assertThat(client.code(READ)).isZero();
      upstream.always(Answers.silence());
      Await.until("it is down", () -> proxy.status().reason().contains("no directory server"));
      int reads = upstream.received(OutageIT::isRead).size();
      client.patience(Duration.ofSeconds(8));
      assertThat(client.code(READ)).isEqualTo(UNAVAILABLE);
      assertThat(client.code(Requests.delete(ANNA))).isEqualTo(UNAVAILABLE);
      assertThat(upstream.received(OutageIT::isRead)).hasSize(reads);
      upstream.always(Answers.ordinary());
      Await.until("it is back", () -> is(proxy, BackendState.UP));
      assertThat(client.code(READ)).isZero();
    }
  }

  /** It does not have what it should, and answers all the same. */
  @Test
  void operationsOnAServerFailingItsProbeEndThere() {
    upstream.when(
        request -> request.isSearchFor("cn=alive"), Answers.entries(new Entry("cn=alive")));
    Held read = upstream.hold(OutageIT::isRead);
    Held write = upstream.hold(request -> request.is(Received.MODIFY));
    try (RunningProxy proxy = patient("cn=alive", Duration.ofSeconds(5)).start();
        RawLdapClient client = proxy.client();
        RawLdapClient writer = proxy.client()) {
      final int asked = client.send(READ);
      final int written = writer.send(Requests.replace(ANNA, "sn", "new"));
      read.awaitArrival();
      write.awaitArrival();
      upstream.when(request -> request.isSearchFor("cn=alive"), Answers.result(32));
      Await.until("it is down", () -> is(proxy, BackendState.DOWN));
      assertThat(client.code(search("ou=other").request())).isEqualTo(UNAVAILABLE);
      read.answer(Answers.success());
      write.answer(Answers.success());
      assertThat(code(client, asked)).isZero();
      assertThat(code(writer, written)).isZero();
    }
  }

  private static int code(RawLdapClient client, int id) {
    return RawLdapClient.last(client.await(id)).resultCode();
  }
}

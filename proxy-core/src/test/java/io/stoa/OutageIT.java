// SPDX-License-Identifier: Apache-2.0
package io.stoa;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.backend.BackendState;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import java.time.Duration;
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
  void hitsAreGivenAndAllElseIsRefusedAtOnce() {
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
  void whatIsTooOldIsRefused() {
    try (RunningProxy proxy = stale(Duration.ZERO).start();
        RawLdapClient client = proxy.client()) {
      age(proxy, client);
      goDown(proxy);
      Await.until("it is too old", () -> client.code(READ) == UNAVAILABLE);
    }
  }

  @Test
  void whatIsTooOldIsGivenIfThatIsWantedUntilAServerIsBack() {
    try (RunningProxy proxy = stale(HOUR).start();
        RawLdapClient client = proxy.client()) {
      age(proxy, client);
      goDown(proxy);
      Await.until(
          "one is given that is too old",
          () -> client.call(READ).size() == 2 && proxy.cache().staleServed() > 0);
      assertThat(log.warnings()).filteredOn(line -> line.contains("too old are given")).hasSize(1);
      upstream.when(OutageIT::isRead, Answers.entries(Answers.person("anna", "new")));
      upstream.comeBack();
      Await.until("it is back", () -> is(proxy, BackendState.UP));
      long served = proxy.cache().staleServed();
      assertThat(client.call(READ).get(0).mentions("new")).isTrue();
      assertThat(proxy.cache().staleServed()).isEqualTo(served);
    }
  }

  @Test
  void nothingIsGivenBeyondTheCap() {
    try (RunningProxy proxy = stale(Duration.ofMillis(300)).start();
        RawLdapClient client = proxy.client()) {
      age(proxy, client);
      goDown(proxy);
      Await.until("it is much too old", () -> client.code(READ) == UNAVAILABLE);
    }
  }

  @Test
  void whatAWriteHasEndedIsNeverGiven() {
    try (RunningProxy proxy = stale(HOUR).start();
        RawLdapClient client = proxy.client()) {
      age(proxy, client);
      assertThat(client.code(Requests.replace(ANNA, "sn", "new"))).isZero();
      goDown(proxy);
      assertThat(client.code(READ)).isEqualTo(UNAVAILABLE);
    }
  }

  @Test
  void whatTheDirectoryHasGivenToAnotherIsNeverGiven() {
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
  void whatAServerThatHangsHasNotAnsweredIsRefusedWhenItIsDown() {
    ProxySetup setup =
        setup()
            .cachesOff()
            .upstream("maxOutstanding", 1)
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

  private static int code(RawLdapClient client, int id) {
    return RawLdapClient.last(client.await(id)).resultCode();
  }
}

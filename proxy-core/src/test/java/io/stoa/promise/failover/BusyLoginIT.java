// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.failover;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Answer;
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
import io.stoa.testing.ServiceWatch;
import io.stoa.upstream.server.BackendState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A server that is too busy to bind is asked again later, while operations wait for that. */
class BusyLoginIT {
  private static final int BUSY = 51;
  private static final String X = People.dn(1);
  private static final String Y = People.dn(2);
  private static final int PLACES = 100;
  private static final int PLACES_OF_ONE = 88;
  private static final int OTHERS = 5;
  private static final RawRequest READ = search(X).baseScope().request();

  /** More than an operation is tried. */
  private static final int TIMES = 6;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();
  @RegisterExtension final ScriptedUpstream first = ServiceWatch.upstream();
  @RegisterExtension final ScriptedUpstream second = ServiceWatch.upstream();
  @TempDir Path directory;

  /** From now on so many binds of the name are refused as busy. */
  private static void refuse(ScriptedUpstream server, String dn, int times) {
    AtomicInteger left = new AtomicInteger(times);
    Answer ordinary = Answers.ordinary();
    Answer busy = Answers.result(BUSY);
    server.when(
        request -> isBind(request, dn),
        (request, link) -> (left.getAndDecrement() > 0 ? busy : ordinary).to(request, link));
  }

  private static boolean isBind(Received request, String dn) {
    return request.is(Received.BIND) && request.message().mentions(dn);
  }

  private static int binds(ScriptedUpstream server, String dn) {
    return server.received(request -> isBind(request, dn)).size();
  }

  private RunningProxy proxied(int... ports) {
    return ProxySetup.before(ports)
        .cachesOff()
        .upstream("identity", ServiceWatch.identity(directory))
        .start()
        .awaitUp(ports.length);
  }

  private static void assertServed(RawLdapClient client) {
    assertThat(client.code(READ)).isZero();
  }

  @Test
  void operationsWaitUntilTheServiceAccountMayBind() {
    try (RunningProxy proxy = proxied(first.port());
        RawLdapClient client = proxy.client().bind(X, People.PASSWORD)) {
      int before = binds(first, ServiceWatch.DN);
      refuse(first, ServiceWatch.DN, TIMES);
      long begun = System.nanoTime();
      assertServed(client);
      assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(Duration.ofSeconds(1));
      assertThat(binds(first, ServiceWatch.DN)).isEqualTo(before + TIMES + 1);
    }
  }

  @Test
  void writesWaitToo() {
    try (RunningProxy proxy = proxied(first.port(), second.port());
        RawLdapClient client = proxy.client().bind(X, People.PASSWORD)) {
      refuse(first, ServiceWatch.DN, TIMES);
      assertThat(client.code(Requests.replace(X, "mail", "x@example.com"))).isZero();
    }
  }

  @Test
  void aBusyServerIsReplacedByAnotherAtOnce() {
    try (RunningProxy proxy = proxied(first.port(), second.port());
        RawLdapClient client = proxy.client().bind(X, People.PASSWORD)) {
      refuse(first, ServiceWatch.DN, Integer.MAX_VALUE);
      for (int i = 0; i < TIMES; i++) {
        assertServed(client);
      }
      assertThat(first.received(request -> request.isSearchFor(X))).isEmpty();
    }
  }

  @Test
  void operationsWaitForAnyServerIfAllAreBusy() {
    try (RunningProxy proxy = proxied(first.port(), second.port());
        RawLdapClient client = proxy.client().bind(X, People.PASSWORD)) {
      refuse(first, ServiceWatch.DN, Integer.MAX_VALUE);
      refuse(second, ServiceWatch.DN, TIMES);
      assertServed(client);
    }
  }

  /** It waits no longer than for anything else. */
  @Test
  void aServerThatNeverBindsIsBusy() {
    ProxySetup setup =
        ProxySetup.before(first.port())
            .cachesOff()
            .upstream("queueTimeout", Duration.ofMillis(500))
            .upstream("identity", ServiceWatch.identity(directory));
    try (RunningProxy proxy = setup.start();
        RawLdapClient client = proxy.client().bind(X, People.PASSWORD)) {
      refuse(first, ServiceWatch.DN, Integer.MAX_VALUE);
      assertThat(client.code(READ)).isEqualTo(BUSY);
      assertThat(proxy.status().backends().get(0).state()).isEqualTo(BackendState.UP);
      refuse(first, ServiceWatch.DN, 0);
      assertServed(client);
    }
  }

  /** The same where Stoa binds with what the client has left. */
  @Test
  void aRebindWaitsUntilTheServerIsNoLongerBusy() {
    try (RunningProxy proxy = ProxySetup.before(first.port()).cachesOff().start();
        RawLdapClient client = proxy.client().bind(X, People.PASSWORD)) {
      first.dropConnections();
      Await.until(
          "no connection is left", () -> proxy.status().backends().get(0).connections() == 0);
      refuse(first, X, TIMES);
      assertServed(client);
    }
  }

  /** Others have come since, so it would not be given as many places again. */
  @Test
  void operationsThatWaitForARebindKeepTheirPlaces() {
    ProxySetup setup =
        ProxySetup.before(first.port())
            .cachesOff()
            .upstream("queueLimit", PLACES)
            .limit("operationsInFlight", PLACES);
    try (RunningProxy proxy = setup.start();
        RawLdapClient greedy = proxy.client().bind(X, People.PASSWORD);
        RawLdapClient other = proxy.client().bind(Y, People.PASSWORD)) {
      first.dropConnections();
      Await.until(
          "no connection is left", () -> proxy.status().backends().get(0).connections() == 0);
      Held bind = first.hold(request -> isBind(request, X));
      Held otherBind = first.hold(request -> isBind(request, Y));
      List<Integer> asked = new ArrayList<>();
      for (int i = 0; i < PLACES; i++) {
        asked.add(greedy.send(READ));
      }
      bind.awaitArrival();
      Await.until("it has all that it gets", () -> proxy.status().queued() == PLACES_OF_ONE);
      for (int i = 0; i < OTHERS; i++) {
        other.send(READ);
      }
      Await.until("others wait", () -> proxy.status().queued() == PLACES_OF_ONE + OTHERS);
      bind.answer(Answers.result(BUSY));
      long served = asked.stream().filter(id -> code(greedy, id) == 0).count();
      assertThat(served).isEqualTo(PLACES_OF_ONE);
      otherBind.answer(Answers.success());
    }
  }

  private static int code(RawLdapClient client, int id) {
    return RawLdapClient.last(client.await(id)).resultCode();
  }
}

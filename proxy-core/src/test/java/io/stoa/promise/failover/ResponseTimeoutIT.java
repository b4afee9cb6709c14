// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.failover;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ClientSwarm;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Records;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.upstream.balancing.BalanceConfig;
import io.stoa.upstream.balancing.Balancing;
import io.stoa.upstream.connection.ProbeConfig;
import io.stoa.upstream.server.BackendState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a server is blamed for that does not answer, and where that goes which can begin again. */
@Tag("timed")
class ResponseTimeoutIT {
  private static final RawRequest FIND = search("uid=x,dc=example,dc=com").request();
  private static final RawRequest LATER = search("uid=y,dc=example,dc=com").request();
  private static final RawRequest STEP = Requests.saslBind("X-TEST", "token");
  private static final RawRequest BIND = Requests.bind("uid=anna,dc=example,dc=com", "secret");
  private static final int INVALID_CREDENTIALS = 49;
  private static final Duration NEVER = Duration.ofMinutes(10);
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int FEW = 6;
  private static final int UNAVAILABLE = 52;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();
  @RegisterExtension final ScriptedUpstream first = ScriptedUpstream.start();
  @RegisterExtension final ScriptedUpstream second = ScriptedUpstream.start();

  private static boolean isFind(Received request) {
    return request.isSearchFor("uid=x,");
  }

  private static boolean isLater(Received request) {
    return request.isSearchFor("uid=y,");
  }

  private static boolean isBind(Received request) {
    return request.is(Received.BIND);
  }

  private RunningProxy alone(Duration operationTimeout) {
    return ProxySetup.before(first.port())
        .cachesOff()
        .operationTimeout(operationTimeout)
        .upstream("queueTimeout", NEVER)
        .upstream("balance", Records.with(BalanceConfig.DEFAULTS, "maxInFlight", FEW))
        .start();
  }

  private static long decreases(RunningProxy proxy) {
    return proxy.status().backends().get(0).places().decreases();
  }

  private static List<Integer> sendAll(ClientSwarm crowd, RawRequest search) {
    return crowd.all().stream().map(client -> client.send(search)).toList();
  }

  private static List<Integer> codes(ClientSwarm crowd, List<Integer> ids) {
    List<Integer> codes = new ArrayList<>();
    for (int i = 0; i < ids.size(); i++) {
      RawLdapClient client = crowd.all().get(i).patience(PATIENCE);
      codes.add(RawLdapClient.last(client.await(ids.get(i))).resultCode());
    }
    return codes;
  }

  private static ClientSwarm clients(RunningProxy proxy) {
    ClientSwarm crowd = new ClientSwarm();
    Stream.generate(proxy::client).limit(FEW).forEach(crowd::add);
    return crowd;
  }

  @Test
  void unansweredRequestsLowerTheInFlightLimit() {
    first.when(ResponseTimeoutIT::isFind, Answers.silence());
    try (RunningProxy proxy = alone(Duration.ofSeconds(1));
        ClientSwarm crowd = clients(proxy)) {
      assertThat(codes(crowd, sendAll(crowd, FIND))).containsOnly(UNAVAILABLE);
      assertThat(decreases(proxy)).isPositive();
    }
  }

  /** Most of their time these have waited for those. */
  @Test
  void queueTimeDoesNotLowerTheInFlightLimit() {
    Duration timeout = Duration.ofSeconds(6);
    first.when(ResponseTimeoutIT::isLater, Answers.silence());
    List<Held> held =
        Stream.generate(() -> first.hold(ResponseTimeoutIT::isFind)).limit(FEW).toList();
    try (RunningProxy proxy = alone(timeout);
        ClientSwarm before = clients(proxy);
        ClientSwarm after = clients(proxy)) {
      final List<Integer> ids = sendAll(before, FIND);
      held.forEach(Held::awaitArrival);
      long began = System.nanoTime();
      final List<Integer> later = sendAll(after, LATER);
      Await.until("they wait", () -> proxy.status().queued() == FEW);
      Await.until(
          "more than half of their time is over",
          () -> System.nanoTime() - began > timeout.toNanos() * 3 / 4);
      held.forEach(each -> each.answer(Answers.success()));
      assertThat(codes(before, ids)).containsOnly(0);
      assertThat(codes(after, later)).containsOnly(UNAVAILABLE);
      assertThat(first.received(ResponseTimeoutIT::isLater)).hasSize(FEW);
      assertThat(decreases(proxy)).isZero();
    }
  }

  /** No timeout but that of an attempt is as short as the client's patience. */
  private RunningProxy both() {
    BalanceConfig failover =
        Records.with(BalanceConfig.DEFAULTS, "strategies", List.of(Balancing.FAILOVER));
    return ProxySetup.before(first.port(), second.port())
        .cachesOff()
        .upstream("balance", failover)
        .upstream("connectTimeout", NEVER)
        .upstream("queueTimeout", NEVER)
        .upstream("probe", new ProbeConfig("", "", "", "", "", NEVER))
        .upstream("attemptTimeout", Duration.ofMillis(100))
        .start()
        .awaitUp();
  }

  private static void assertSuspect(RunningProxy proxy) {
    assertThat(proxy.status().backends().get(0).state()).isEqualTo(BackendState.SUSPECT);
  }

  @Test
  void aFirstSaslStepAtAHungServerStartsOverAtAnother() {
    try (RunningProxy proxy = both();
        RawLdapClient client = proxy.client()) {
      first.always(Answers.silence());
      assertThat(client.code(STEP)).isZero();
      assertThat(first.received(ResponseTimeoutIT::isBind)).hasSize(1);
      assertThat(second.received(ResponseTimeoutIT::isBind)).hasSize(1);
      assertSuspect(proxy);
    }
  }

  private RunningProxy hasty() {
    return ProxySetup.before(first.port())
        .cachesOff()
        .upstream("bindTimeout", Duration.ofMillis(500))
        .start();
  }

  /** The server is well, and answers all that comes on other connections. */
  @Test
  void aLostBindIsRetriedOnceOnAnotherConnection() {
    first.when(
        ResponseTimeoutIT::isBind,
        (request, link) -> {
          boolean lost = first.received(ResponseTimeoutIT::isBind).size() == 1;
          (lost ? Answers.silence() : Answers.success()).to(request, link);
        });
    try (RunningProxy proxy = hasty();
        RawLdapClient client = proxy.client().patience(PATIENCE)) {
      assertThat(client.code(BIND)).isZero();
      List<Received> binds = first.received(ResponseTimeoutIT::isBind);
      assertThat(binds).hasSize(2);
      assertThat(binds.get(0).connection()).isNotEqualTo(binds.get(1).connection());
      assertThat(client.code(FIND)).isZero();
      assertThat(proxy.status().backends().get(0).state()).isEqualTo(BackendState.UP);
    }
    assertThat(log.warningsOf("BindConnections")).hasSize(1);
    assertThat(log.warnings()).hasSize(1);
  }

  /** Each may have counted a wrong password. */
  @Test
  void aBindThatIsNeverAnsweredIsSentTwiceAndRefused() {
    first.when(ResponseTimeoutIT::isBind, Answers.silence());
    try (RunningProxy proxy = hasty();
        RawLdapClient client = proxy.client().patience(PATIENCE)) {
      assertThat(client.code(BIND)).isEqualTo(UNAVAILABLE);
      assertThat(first.received(ResponseTimeoutIT::isBind)).hasSize(2);
      assertThat(client.code(FIND)).isZero();
    }
    assertThat(log.warningsOf("BindConnections")).hasSize(2);
    assertThat(log.warnings()).hasSize(2);
  }

  /** Somebody may have been asked to confirm it: once, and for as long as anything may take. */
  @Test
  void aBindMayUseTheWholeOperationTimeout() {
    Duration timeout = Duration.ofSeconds(1);
    first.when(ResponseTimeoutIT::isBind, Answers.silence());
    ProxySetup setup =
        ProxySetup.before(first.port())
            .cachesOff()
            .operationTimeout(timeout)
            .upstream("bindTimeout", timeout)
            .upstream("connectTimeout", Duration.ofMillis(500));
    try (RunningProxy proxy = setup.start();
        RawLdapClient client = proxy.client().patience(PATIENCE)) {
      long began = System.nanoTime();
      assertThat(client.code(BIND)).isEqualTo(UNAVAILABLE);
      assertThat(System.nanoTime() - began).isGreaterThan(timeout.toNanos());
      assertThat(first.received(ResponseTimeoutIT::isBind)).hasSize(1);
      assertThat(client.code(FIND)).isZero();
    }
    assertThat(log.warningsOf("ResponseTimeout")).isNotEmpty().hasSameSizeAs(log.warnings());
  }

  /** Who was answered is not asked again, however late that was; nobody is answered twice. */
  @Test
  void aLateBindResponseIsDropped() {
    Held late = first.hold(ResponseTimeoutIT::isBind);
    Held again = first.hold(ResponseTimeoutIT::isBind);
    try (RunningProxy proxy = hasty();
        RawLdapClient client = proxy.client().patience(PATIENCE)) {
      int id = client.send(BIND);
      late.awaitArrival();
      again.awaitArrival();
      late.answer(Answers.success());
      again.answer(Answers.result(INVALID_CREDENTIALS));
      assertThat(RawLdapClient.last(client.await(id)).resultCode()).isEqualTo(INVALID_CREDENTIALS);
      assertThat(client.code(FIND)).isZero();
      assertThat(first.received(ResponseTimeoutIT::isBind)).hasSize(2);
    }
  }

  @Test
  void aFirstPageAtAHungServerIsRetriedAtAnother() {
    RawRequest page = FIND.with(new SimplePagedResultsControl(1, new ASN1OctetString(), true));
    try (RunningProxy proxy = both();
        RawLdapClient client = proxy.client()) {
      first.always(Answers.silence());
      assertThat(client.code(page)).isZero();
      assertThat(first.received(ResponseTimeoutIT::isFind)).hasSize(1);
      assertThat(second.received(ResponseTimeoutIT::isFind)).hasSize(1);
      assertSuspect(proxy);
    }
  }

  /** Nobody else can bind as the client: it is told when the server is down. */
  @Test
  void aSaslClientIsRefusedWhenItsServerIsDown() {
    ProxySetup hasty =
        ProxySetup.before(first.port(), second.port())
            .cachesOff()
            .upstream("connectTimeout", Duration.ofSeconds(1));
    try (RunningProxy proxy = hasty.start().awaitUp();
        RawLdapClient client = proxy.client().patience(PATIENCE)) {
      assertThat(client.code(STEP)).isZero();
      assertThat(client.code(FIND)).isZero();
      first.always(Answers.silence());
      assertThat(client.code(FIND)).isEqualTo(UNAVAILABLE);
      assertThat(second.received(ResponseTimeoutIT::isFind)).isEmpty();
    }
  }
}

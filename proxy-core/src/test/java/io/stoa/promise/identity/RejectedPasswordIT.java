// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.identity;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

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
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.upstream.balancing.BalanceConfig;
import io.stoa.upstream.balancing.BalanceConfig.Reads;
import io.stoa.upstream.connection.ProbeConfig;
import io.stoa.upstream.server.BackendState;
import java.time.Duration;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A replica refuses a password, and may lack it: what a primary says holds. */
class RejectedPasswordIT {
  private static final String X = People.dn(1);
  private static final String CHANGED = "changed";
  private static final int INVALID_CREDENTIALS = 49;
  private static final int UNAVAILABLE = 52;
  private static final int READS = 5;
  private static final RawRequest READ = search(X).baseScope().request();

  @RegisterExtension final ExpectedLog log = new ExpectedLog();
  @RegisterExtension final ScriptedUpstream primary = ScriptedUpstream.start();
  @RegisterExtension final ScriptedUpstream replica = ScriptedUpstream.start();

  private RunningProxy proxy;

  @AfterEach
  void stop() {
    proxy.close();
  }

  private ProxySetup setup() {
    return ProxySetup.before(primary.port(), replica.port())
        .cachesOff()
        .upstream("probe", Records.with(ProbeConfig.DEFAULTS, "interval", Duration.ofMillis(50)))
        .upstream("balance", Records.with(BalanceConfig.DEFAULTS, "reads", Reads.REPLICAS));
  }

  private static boolean isBind(Received request) {
    return request.is(Received.BIND) && request.message().mentions(X);
  }

  private static boolean isRead(Received request) {
    return request.is(Received.SEARCH) && request.message().mentions(X);
  }

  private static int count(ScriptedUpstream server) {
    return server.received(RejectedPasswordIT::isRead).size();
  }

  /** A client has a connection to the primary, and the replica does not know its password. */
  private RawLdapClient bound() {
    replica.goDown();
    ProxySetup setup = setup().upstream("maxInFlightPerConnection", 1);
    proxy = RunningProxy.start(Records.with(setup.config(), "eventLoops", 1));
    return proxy.client().bind(X, People.PASSWORD);
  }

  /** The primary has taken its password once more, which therefore is not for one bind. */
  private RawLdapClient boundTwice() {
    RawLdapClient client = bound();
    Held slow = primary.hold(RejectedPasswordIT::isRead);
    int first = client.send(READ);
    slow.awaitArrival();
    assertThat(client.code(READ)).as("on a second connection").isZero();
    slow.answer(Answers.success());
    client.await(first);
    returnWithoutPassword();
    return client;
  }

  private void returnWithoutPassword() {
    refuse(replica);
    replica.comeBack();
    proxy.awaitUp(2);
  }

  private static int binds(ScriptedUpstream server) {
    return server.received(RejectedPasswordIT::isBind).size();
  }

  private static void refuse(ScriptedUpstream server) {
    server.when(RejectedPasswordIT::isBind, Answers.result(INVALID_CREDENTIALS));
  }

  @Test
  void aRefusedPasswordIsRetriedAtAPrimary() {
    try (RawLdapClient client = boundTwice()) {
      assertThat(client.code(READ)).isZero();
      primary.awaitReceived(3, RejectedPasswordIT::isBind);
      assertThat(client.code(READ)).isZero();
      assertThat(client.code(READ)).isZero();
      assertThat(binds(primary)).isEqualTo(3);
      assertThat(binds(replica)).isEqualTo(1);
    }
  }

  /** It is not tried in the place of what a client that waits has left. */
  @Test
  void aDoubtfulPasswordIsNotPreferredForRebinds() {
    try (RawLdapClient client = boundTwice()) {
      assertThat(client.code(READ)).isZero();
      primary.awaitReceived(3, RejectedPasswordIT::isBind);
      assertThat(client.code(READ)).isZero();
      replica.goDown();
      Await.until("the replica is down", () -> proxy.up() == 1);
      try (RawLdapClient other = proxy.client().bind(X, CHANGED)) {
        Predicate<Received> old =
            request -> isBind(request) && !request.message().mentions(CHANGED);
        primary.when(old, Answers.result(INVALID_CREDENTIALS));
        primary.dropConnections();
        Await.until(
            "no connection is left", () -> proxy.status().backends().get(0).connections() == 0);
        assertThat(other.code(READ)).isZero();
        assertThat(primary.received(old)).hasSize(3);
      }
    }
  }

  @Test
  void aClientRefusedByAPrimaryIsDisconnected() {
    try (RawLdapClient client = boundTwice()) {
      refuse(primary);
      client.send(READ);
      RawMessage last = client.next().orElseThrow();
      while (last.messageId() != 0) { // the read may have been answered before
        last = client.next().orElseThrow();
      }
      assertThat(last.resultCode()).isEqualTo(UNAVAILABLE);
      assertThat(binds(primary)).isEqualTo(3);
      assertThat(binds(replica)).isEqualTo(1);
    }
  }

  /** The password may be for one bind, so no server is asked again. */
  @Test
  void aClientRefusedRightAfterItsBindKeepsItsConnection() {
    try (RawLdapClient client = bound()) {
      returnWithoutPassword();
      refuse(primary);
      for (int i = 0; i < READS; i++) {
        assertThat(client.code(READ)).isZero();
      }
      assertThat(count(primary)).isEqualTo(READS);
      assertThat(binds(primary)).isEqualTo(1);
      assertThat(binds(replica)).isEqualTo(1);
    }
  }

  /** The primary has taken the password again, and hangs since; a connection is left elsewhere. */
  private RawLdapClient beforePrimaryThatHangs() {
    proxy =
        setup()
            .upstream("maxInFlightPerConnection", 1)
            .upstream("connectTimeout", Duration.ofMinutes(1))
            .start();
    proxy.awaitUp(2);
    RawLdapClient client = proxy.client().bind(X, People.PASSWORD);
    assertThat(client.code(READ)).isZero();
    Held first = replica.hold(RejectedPasswordIT::isRead);
    int slow = client.send(READ);
    first.awaitArrival();
    Held second = replica.hold(RejectedPasswordIT::isRead);
    int slower = client.send(READ);
    second.awaitArrival(); // on another connection: the password is not for one bind
    refuse(replica);
    assertThat(client.code(READ)).as("answered by the primary").isZero();
    first.answer(Answers.success());
    client.await(slow);
    second.answer(Answers.success());
    client.await(slower);
    primary.when(request -> !request.is(Received.UNBIND), Answers.silence());
    Await.until(
        "the primary is suspect",
        () -> proxy.status().backends().get(0).state() == BackendState.SUSPECT);
    return client;
  }

  /** Where the client is bound already, no password is needed. */
  @Test
  void aBoundReplicaServesWhileThePrimaryHangs() {
    try (RawLdapClient client = beforePrimaryThatHangs()) {
      int before = count(replica);
      assertThat(client.code(READ)).isZero();
      assertThat(count(replica)).isEqualTo(before + 1);
    }
  }

  /** What others of the name share is of no use to what needs a connection of its own. */
  @Test
  void dedicatedRequestsWaitForAHungPrimary() {
    try (RawLdapClient client = beforePrimaryThatHangs()) {
      Held bind = primary.hold(RejectedPasswordIT::isBind);
      Held read = primary.hold(RejectedPasswordIT::isRead);
      int page = client.send(READ.with(new SimplePagedResultsControl(1)));
      bind.answer(Answers.success());
      read.answer(Answers.success());
      assertThat(RawLdapClient.last(client.await(page)).resultCode()).isZero();
    }
  }
}

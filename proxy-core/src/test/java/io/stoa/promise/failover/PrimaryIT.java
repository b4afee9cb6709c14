// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.failover;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
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

/** Two directory servers: what must go to the primary, and what may go to either. */
class PrimaryIT {
  private static final int READS = 40;
  private static final String ANNA = "uid=anna,dc=example,dc=com";

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream primary;
  private ScriptedUpstream replica;

  @BeforeEach
  void start() {
    primary = ScriptedUpstream.start();
    replica = ScriptedUpstream.start();
  }

  @AfterEach
  void stop() {
    primary.close();
    replica.close();
  }

  private RunningProxy proxy(Duration writeCoherence) {
    RunningProxy proxy =
        ProxySetup.before(primary.port(), replica.port())
            .cachesOff()
            .upstream("writeCoherence", writeCoherence)
            .start();
    proxy.awaitUp();
    return proxy;
  }

  private static RawRequest find(int number) {
    return search("uid=find" + number + ",dc=example,dc=com").request();
  }

  private static boolean isFind(Received request) {
    return request.isSearchFor("uid=find");
  }

  @Test
  void writesGoToThePrimary() {
    try (RunningProxy proxy = proxy(Duration.ZERO);
        RawLdapClient client = proxy.client()) {
      for (int i = 0; i < 20; i++) {
        assertThat(client.code(Requests.replace(ANNA, "sn", "x"))).isZero();
        assertThat(client.code(Requests.delete(ANNA))).isZero();
        assertThat(client.code(Requests.extended("1.2.3.4.5"))).isZero();
      }
      assertThat(primary.received(request -> request.is(Received.MODIFY))).hasSize(20);
      assertThat(primary.received(request -> request.is(Received.DELETE))).hasSize(20);
      assertThat(replica.received(request -> request.is(Received.MODIFY))).isEmpty();
      assertThat(replica.received(request -> request.is(Received.DELETE))).isEmpty();
      assertThat(replica.received(request -> request.is(Received.EXTENDED))).isEmpty();
    }
  }

  /** The busier server is left alone, whoever asks: what it holds unanswered counts. */
  @Test
  void readsGoToTheServerWithLessToDo() {
    try (RunningProxy proxy = proxy(Duration.ZERO);
        RawLdapClient waiting = proxy.client();
        RawLdapClient one = proxy.client();
        RawLdapClient other = proxy.client()) {
      Held onPrimary = primary.hold(request -> request.isSearchFor("uid=held"));
      Held onReplica = replica.hold(request -> request.isSearchFor("uid=held"));
      waiting.send(900, search("uid=held1,dc=example,dc=com").request());
      Await.until("one has it", () -> onPrimary.hasArrived() || onReplica.hasArrived());
      boolean primaryIsBusy = onPrimary.hasArrived();
      for (int i = 0; i < READS; i++) {
        assertThat((i % 2 == 0 ? one : other).code(find(i))).isZero();
      }
      // A question of Stoa's own may be under way to the other, too, for a moment.
      assertThat((primaryIsBusy ? primary : replica).received(PrimaryIT::isFind))
          .hasSizeLessThan(READS / 10);
      (primaryIsBusy ? onPrimary : onReplica).answer(Answers.success());
      waiting.await(900);
    }
  }

  @Test
  void readsAfterAWriteGoToThePrimary() {
    try (RunningProxy proxy = proxy(Duration.ofMinutes(1));
        RawLdapClient writer = proxy.client();
        RawLdapClient reader = proxy.client()) {
      assertThat(writer.code(Requests.replace(ANNA, "sn", "x"))).isZero();
      for (int i = 0; i < 50; i++) {
        assertThat(reader.code(find(i))).isZero();
      }
      assertThat(primary.received(PrimaryIT::isFind)).hasSize(50);
      assertThat(replica.received(PrimaryIT::isFind)).isEmpty();
    }
  }

  @Test
  void aReadOfALostServerIsRetriedOnAnother() {
    try (RunningProxy proxy = proxy(Duration.ZERO);
        RawLdapClient client = proxy.client()) {
      primary.when(PrimaryIT::isFind, Answers.close());
      for (int i = 0; i < 50; i++) {
        assertThat(client.code(find(i))).isZero();
      }
    }
  }

  @Test
  void aWriteIsNotSentToAReplicaWhenThePrimaryIsDown() {
    try (RunningProxy proxy = proxy(Duration.ZERO);
        RawLdapClient client = proxy.client()) {
      primary.goDown();
      Await.until("the primary is down", () -> client.code(find(0)) == 0 && proxy.up() < 2);
      assertThat(client.code(Requests.replace(ANNA, "sn", "x"))).isEqualTo(52);
      assertThat(client.code(find(1))).isZero();
      assertThat(replica.received(request -> request.is(Received.MODIFY))).isEmpty();
    }
  }

  @Test
  void aServerThatComesBackIsUsedAgain() {
    try (RunningProxy proxy = proxy(Duration.ZERO);
        RawLdapClient client = proxy.client()) {
      replica.goDown();
      Await.until("the replica is down", () -> client.code(find(0)) == 0 && proxy.up() < 2);
      replica.comeBack();
      proxy.awaitUp();
      Held held = primary.hold(request -> request.isSearchFor("uid=held"));
      client.send(900, search("uid=held,dc=example,dc=com").request());
      Await.until(
          "somebody has it",
          () -> held.hasArrived() || !replica.received(r -> r.isSearchFor("uid=held")).isEmpty());
      assertThat(client.code(find(2))).isZero();
      if (held.hasArrived()) {
        assertThat(replica.received(PrimaryIT::isFind)).isNotEmpty();
        held.answer(Answers.success());
      }
      client.await(900);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.limits;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.extensions.CancelExtendedRequest;
import io.stoa.ldap.protocol.Oids;
import io.stoa.operation.Rejection;
import io.stoa.promise.protocol.HostileOctets;
import io.stoa.testing.Answer;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ClientSwarm;
import io.stoa.testing.Held;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Which clients give way when memory or places run out. */
class LoadSheddingIT {
  private static final String NETWORK = "127.0.7.1";
  private static final String DN = "uid=a,dc=example,dc=com";
  private static final RawRequest FAST = search("ou=fast,dc=example,dc=com").request();
  private static final byte[] LARGE = HostileOctets.searchOfSize(40_000).encode(1);
  private static final byte[] MAX = Arrays.copyOf(LARGE, 30_000);
  private static final byte[] REST = Arrays.copyOfRange(LARGE, 30_000, LARGE.length);
  private static final byte[] PADDING = new byte[60_000];

  /** So many padded requests are more than the system holds for a connection. */
  private static final int MANY = 400;

  private static final int CANCELED = 118;
  private static final int MEMORY = 4 * 64 * 1024;

  @RegisterExtension final ScriptedUpstream upstream = ScriptedUpstream.start();

  private final ClientSwarm crowd = new ClientSwarm();

  private RunningProxy memory() {
    return memory(MEMORY);
  }

  private RunningProxy memory(int octets) {
    return ProxySetup.before(upstream.port())
        .limit("frameBeforeBind", 64 * 1024)
        .limit("frameAfterBind", 64 * 1024)
        .limit("requestMemory", octets)
        .start();
  }

  private RunningProxy places(int connections) {
    return ProxySetup.before(upstream.port()).limit("connections", connections).start();
  }

  private RawLdapClient from(String host, RunningProxy proxy) {
    return crowd.add(RawLdapClient.from(host, proxy.address()));
  }

  /** Sends most of a request, and waits until that was received. */
  private static RawLdapClient stall(RunningProxy proxy, RawLdapClient client) {
    long before = proxy.status().requestMemory();
    client.sendOctets(MAX);
    Await.until("it has come", () -> proxy.status().requestMemory() >= before + MAX.length);
    return client;
  }

  private static void assertRefusedBusy(RawLdapClient client, Rejection reason) {
    List<RawMessage> told = client.drain();
    assertThat(told).hasSize(1);
    assertThat(told.get(0).resultCode()).isEqualTo(reason.resultCode());
    assertThat(told.get(0).mentions(reason.diagnostic())).isTrue();
  }

  // Memory

  @Test
  void unfinishedRequestsOfTheLargestNetworkAreDropped() {
    try (RunningProxy proxy = memory();
        ClientSwarm closing = crowd) {
      RawLdapClient first = stall(proxy, from("127.0.0.1", proxy)); // the slowest of all
      RawLdapClient slow = stall(proxy, from(NETWORK, proxy));
      RawLdapClient last = stall(proxy, from(NETWORK, proxy));
      for (int more = 0; proxy.status().requestMemory() + 64 * 1024 < MEMORY; more++) {
        assertThat(more).isLessThan(10);
        stall(proxy, from(NETWORK, proxy));
      }
      for (int i = 0; i < 4; i++) {
        from(NETWORK, proxy).sendOctets(MAX);
      }
      assertRefusedBusy(slow, Rejection.REQUEST_MEMORY);
      assertRefusedBusy(last, Rejection.REQUEST_MEMORY);
      first.sendOctets(REST);
      assertThat(RawLdapClient.last(first.await(1)).resultCode()).isZero();
      assertThat(proxy.status().requestMemory()).isLessThanOrEqualTo(MEMORY);
    }
  }

  @Test
  void theIdentityWithMostMemoryOfANetworkGivesWay() {
    try (RunningProxy proxy = memory();
        ClientSwarm closing = crowd) {
      RawLdapClient bound = from("127.0.0.1", proxy).bind(DN, "secret");
      stall(proxy, bound);
      RawLdapClient anonymous = stall(proxy, from("127.0.0.1", proxy));
      for (int i = 0; i < 12; i++) {
        from("127.0.0.1", proxy).sendOctets(MAX);
      }
      assertRefusedBusy(anonymous, Rejection.REQUEST_MEMORY);
      bound.sendOctets(REST);
      assertThat(RawLdapClient.last(bound.await(1)).resultCode()).isZero();
    }
  }

  @Test
  void finishedAndLostRequestsDoNotCount() {
    try (RunningProxy proxy = memory();
        ClientSwarm closing = crowd) {
      RawLdapClient client = stall(proxy, from("127.0.0.1", proxy));
      client.sendOctets(REST);
      assertThat(RawLdapClient.last(client.await(1)).resultCode()).isZero();
      Await.until("nothing is held", () -> proxy.status().requestMemory() == 0);
      stall(proxy, from("127.0.0.1", proxy)).close();
      Await.until("nothing is held", () -> proxy.status().requestMemory() == 0);
    }
  }

  @Test
  void completeRequestsCountUntilTheyAreAnswered() {
    try (RunningProxy proxy = memory();
        ClientSwarm closing = crowd) {
      Held asked = upstream.hold(request -> request.isSearchFor("description"));
      RawLdapClient other = from("127.0.0.1", proxy);
      other.sendOctets(LARGE);
      asked.awaitArrival();
      List<RawLdapClient> many = new ArrayList<>();
      for (int i = 0; i < 9; i++) {
        many.add(from(NETWORK, proxy));
        many.get(i).sendOctets(LARGE);
      }
      Await.until(
          "one has made room",
          () -> many.stream().anyMatch(one -> one.closesWithin(Duration.ofMillis(1))));
      // an event loop that adds octets exceeds the limit until it has chosen a client
      Await.until("the limit is kept", () -> proxy.status().requestMemory() <= MEMORY);
      asked.answer(Answers.success());
      assertThat(RawLdapClient.last(other.await(1)).resultCode()).isZero();
      Await.until("nothing is held", () -> proxy.status().requestMemory() == 0);
    }
  }

  @Test
  void aRequestCountsOnceWhenItIsComplete() {
    try (RunningProxy proxy = memory(64 * 1024);
        ClientSwarm closing = crowd) {
      RawLdapClient client = stall(proxy, from("127.0.0.1", proxy));
      client.sendOctets(REST);
      assertThat(RawLdapClient.last(client.await(1)).resultCode()).isZero();
    }
  }

  @Test
  void persistentSearchesDoNotBlockOtherRequests() {
    upstream.when(request -> request.isSearchFor("description"), Answers.silence());
    RawRequest endless =
        HostileOctets.searchOfSize(40_000).with(new Control(Oids.PERSISTENT_SEARCH, true));
    try (RunningProxy proxy = memory();
        ClientSwarm closing = crowd) {
      RawLdapClient client = from("127.0.0.1", proxy);
      client.send(endless);
      client.send(endless);
      assertThat(client.code(FAST)).isZero();
    }
  }

  /** The server reads nothing while it is slow: what clients send after that waits in Stoa. */
  @Test
  void cancelRequestsToAServerThatDoesNotReadTakeNoMemory() {
    Answer slow = Answers.slowly(Duration.ofSeconds(20), Answers.success());
    upstream.when(request -> request.isSearchFor("ou=slow"), slow);
    try (RunningProxy proxy = places(10);
        ClientSwarm closing = crowd) {
      RawLdapClient client = from("127.0.0.1", proxy);
      client.send(1, search("ou=slow,dc=example,dc=com").request());
      upstream.awaitReceived(1, request -> request.isSearchFor("ou=slow"));
      byte[] first = new CancelExtendedRequest(1).getValue().getValue();
      RawRequest cancel = Requests.extended(Oids.CANCEL, first);
      RawRequest padded = cancel.with(new Control("1.1", false, new ASN1OctetString(PADDING)));
      for (int id = 2; id < 2 * MANY; id += 2) {
        client.send(id, padded);
        client.send(id + 1, Requests.abandon(id));
      }
      assertThat(RawLdapClient.last(client.await(1)).resultCode()).isEqualTo(CANCELED);
    }
  }

  // Places

  @Test
  void theLongestIdleClientWithoutABindGivesWay() {
    try (RunningProxy proxy = places(2);
        ClientSwarm closing = crowd) {
      RawLdapClient bound = from("127.0.0.1", proxy).bind(DN, "secret");
      RawLdapClient idle = from("127.0.0.1", proxy);
      assertThat(idle.code(FAST)).isZero();
      AtomicReference<RawLdapClient> next = new AtomicReference<>();
      Await.until("it is idle", () -> refusal(next, proxy) == null);
      assertRefusedBusy(idle, Rejection.EVICTED);
      assertThat(bound.code(FAST)).isZero();
      assertThat(next.get().code(FAST)).isZero();
      // A loop may count a client as idle that has bound since: one client more is admitted then.
      String full = Rejection.TOO_MANY_CONNECTIONS.diagnostic();
      Await.until("none is left", () -> String.valueOf(refusal(next, proxy)).contains(full));
    }
  }

  /** Binds a new client; returns the error if it is refused, and null otherwise. */
  private @Nullable String refusal(AtomicReference<RawLdapClient> kept, RunningProxy proxy) {
    try {
      kept.set(from("127.0.0.1", proxy));
      kept.get().bind(DN, "secret");
      return null;
    } catch (AssertionError | UncheckedIOException refused) {
      return String.valueOf(refused.getMessage());
    }
  }

  @Test
  void theNetworkWithMostIdleClientsGivesWayFirst() {
    try (RunningProxy proxy = places(5);
        ClientSwarm closing = crowd) {
      RawLdapClient alone = from("127.0.0.1", proxy); // the longest idle
      for (int i = 0; i < 4; i++) {
        from(NETWORK, proxy);
      }
      Await.until("all are there", () -> proxy.status().connections() == 5);
      for (int i = 0; i < 20; i++) {
        from(NETWORK, proxy);
      }
      assertThat(from(NETWORK, proxy).code(FAST)).isZero();
      assertThat(alone.code(FAST)).isZero();
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.extensions.CancelExtendedRequest;
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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** MessageIDs are each client's own, also where they hide inside of requests. */
class MessageIdIT {
  private static final int NO_SUCH_OPERATION = 119;
  private static final RawRequest SLOW = search("ou=slow,dc=example,dc=com").request();

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream upstream;
  private RunningProxy proxy;
  private RawLdapClient client;
  private RawLdapClient other;

  @BeforeEach
  void start() {
    upstream = ScriptedUpstream.start();
    proxy = ProxySetup.before(upstream.port()).start();
    client = proxy.client();
    other = proxy.client();
  }

  @AfterEach
  void stop() {
    client.close();
    other.close();
    try {
      proxy.close();
    } finally {
      upstream.close();
    }
  }

  private static RawRequest cancel(int messageId) {
    CancelExtendedRequest request = new CancelExtendedRequest(messageId);
    return Requests.extended(request.getOID(), request.getValue().getValue());
  }

  @Test
  void abandonNamesTheOperationAsTheDirectoryKnowsIt() {
    Held slow = upstream.hold(request -> request.isSearchFor("ou=slow"));
    client.send(77, SLOW);
    int known = slow.awaitArrival().messageId();
    client.send(78, Requests.abandon(77));
    upstream.awaitReceived(1, request -> request.is(Received.ABANDON));
    Received abandon = upstream.received(request -> request.is(Received.ABANDON)).get(0);
    assertThat(abandon.message().decoded().getAbandonRequestProtocolOp().getIDToAbandon())
        .isEqualTo(known);
    assertThat(abandon.connection()).isEqualTo(slow.awaitArrival().connection());
  }

  @Test
  void nothingIsAnsweredAfterAnAbandon() {
    Held slow = upstream.hold(request -> request.isSearchFor("ou=slow"));
    client.send(77, SLOW);
    slow.awaitArrival();
    client.send(78, Requests.abandon(77));
    upstream.awaitReceived(1, request -> request.is(Received.ABANDON));
    slow.answer(Answers.entries(Answers.person("late", "late")));
    client.send(77, search("ou=again,dc=example,dc=com").request());
    assertThat(client.await(77)).hasSize(1);
  }

  @Test
  void abandonOfSomebodyElsesOperationDoesNothing() {
    Held slow = upstream.hold(request -> request.isSearchFor("ou=slow"));
    client.send(77, SLOW);
    slow.awaitArrival();
    other.send(78, Requests.abandon(77));
    assertThat(other.code(search("ou=x,dc=example,dc=com").request())).isZero();
    assertThat(upstream.received(request -> request.is(Received.ABANDON))).isEmpty();
    slow.answer(Answers.success());
    assertThat(client.await(77)).hasSize(1);
  }

  @Test
  void cancelNamesTheOperationAsTheDirectoryKnowsIt() {
    Held slow = upstream.hold(request -> request.isSearchFor("ou=slow"));
    Held cancelled =
        upstream.hold(r -> r.is(Received.EXTENDED) && r.message().mentions("1.3.6.1.1.8"));
    client.send(77, SLOW);
    int known = slow.awaitArrival().messageId();
    client.send(78, cancel(77));
    Received request = cancelled.awaitArrival();
    assertThat(request.message().decoded().getExtendedRequestProtocolOp().getValue().getValue())
        .isEqualTo(valueOf(known));
    slow.answer(Answers.result(118));
    cancelled.answer(Answers.success());
    assertThat(RawLdapClient.last(client.await(77)).resultCode()).isEqualTo(118);
    assertThat(RawLdapClient.last(client.await(78)).resultCode()).isZero();
  }

  private static byte[] valueOf(int messageId) {
    return new CancelExtendedRequest(messageId).getValue().getValue();
  }

  @Test
  void cancelOfSomebodyElsesOperationFindsNothing() {
    Held slow = upstream.hold(request -> request.isSearchFor("ou=slow"));
    client.send(77, SLOW);
    slow.awaitArrival();
    assertThat(other.code(cancel(77))).isEqualTo(NO_SUCH_OPERATION);
    slow.answer(Answers.success());
    assertThat(client.await(77)).hasSize(1);
  }

  @Test
  void theSameMessageIdMayBeInFlightForEachClient() {
    Held first = upstream.hold(request -> request.isSearchFor("ou=slow"));
    Held second = upstream.hold(request -> request.isSearchFor("ou=fast"));
    client.send(5, SLOW);
    other.send(5, search("ou=fast,dc=example,dc=com").request());
    first.awaitArrival();
    second.answer(Answers.entries(Answers.person("fast", "fast")));
    assertThat(other.await(5).get(0).mentions("fast")).isTrue();
    first.answer(Answers.entries(Answers.person("slow", "slow")));
    assertThat(client.await(5).get(0).mentions("slow")).isTrue();
  }

  @Test
  void aMessageIdMayBeUsedForEveryRequest() {
    for (int i = 0; i < 100; i++) {
      client.send(1, search("ou=" + i + ",dc=example,dc=com").request());
      assertThat(client.await(1)).hasSize(1);
    }
  }

  @Test
  void aClientThatLeavesHasItsSearchesAbandoned() {
    Held slow = upstream.hold(request -> request.isSearchFor("ou=slow"));
    client.send(77, SLOW);
    slow.awaitArrival();
    client.close();
    upstream.awaitReceived(1, request -> request.is(Received.ABANDON));
    Await.until("the client is gone", () -> proxy.status().connections() == 1);
    assertThat(upstream.openConnections()).as("shared connections stay").isPositive();
  }
}

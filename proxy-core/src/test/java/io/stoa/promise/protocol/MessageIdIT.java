// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.protocol;

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
import io.stoa.testing.TlvCursor;
import java.math.BigInteger;
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
  void abandonUsesTheUpstreamMessageId() {
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
  void noAnswerFollowsAnAbandon() {
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
  void abandonOfAnotherClientsOperationDoesNothing() {
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
  void cancelUsesTheUpstreamMessageId() {
    Held slow = upstream.hold(request -> request.isSearchFor("ou=slow"));
    Held cancelled = upstream.hold(MessageIdIT::isCancel);
    client.send(77, SLOW);
    int known = slow.awaitArrival().messageId();
    client.send(78, cancel(77));
    Received request = cancelled.awaitArrival();
    assertThat(target(request)).isEqualTo(known);
    slow.answer(Answers.result(118));
    cancelled.answer(Answers.success());
    assertThat(RawLdapClient.last(client.await(77)).resultCode()).isEqualTo(118);
    assertThat(RawLdapClient.last(client.await(78)).resultCode()).isZero();
  }

  /** What the server says of it, the client gets; but the messageID there is nobody's. */
  @Test
  void cancelOfAnotherClientsOperationFindsNothing() {
    Held slow = upstream.hold(request -> request.isSearchFor("ou=slow"));
    client.send(77, SLOW);
    int known = slow.awaitArrival().messageId();
    assertThat(cancelled(77)).isNotEqualTo(known);
    assertThat(cancelled(known)).isNotEqualTo(known);
    slow.answer(Answers.success());
    assertThat(client.await(77)).hasSize(1);
  }

  @Test
  void cancelOfItselfNamesItselfToTheDirectory() {
    Held cancel = upstream.hold(MessageIdIT::isCancel);
    other.send(9, cancel(9));
    Received request = cancel.awaitArrival();
    assertThat(target(request)).isEqualTo(request.messageId());
    cancel.answer(Answers.success());
    assertThat(RawLdapClient.last(other.await(9)).resultCode()).isZero();
  }

  /** Cancels what the other client has not asked for; returns what the directory is asked for. */
  private int cancelled(int id) {
    Held cancel = upstream.hold(MessageIdIT::isCancel);
    int sent = other.send(cancel(id));
    int target = target(cancel.awaitArrival());
    cancel.answer(Answers.result(NO_SUCH_OPERATION));
    assertThat(RawLdapClient.last(other.await(sent)).resultCode()).isEqualTo(NO_SUCH_OPERATION);
    return target;
  }

  private static boolean isCancel(Received request) {
    return request.is(Received.EXTENDED) && request.message().mentions("1.3.6.1.1.8");
  }

  private static int target(Received cancel) {
    byte[] value = cancel.message().decoded().getExtendedRequestProtocolOp().getValue().getValue();
    return new BigInteger(new TlvCursor(value, 0).enter().content()).intValue();
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

  /**
   * On a connection of the client's own messageIDs are the client's, since a transaction's end
   * names some in its value (RFC 5805, section 3.3); all but one that may still be answered.
   */
  @Test
  void anAbandonedRequestChangesNoMessageIdButItsOwn() {
    assertThat(client.code(Requests.extended("1.2.3.4"))).isZero();
    upstream.hold(request -> request.isSearchFor("ou=slow"));
    client.send(17, search("ou=slow,dc=example,dc=com").request());
    client.send(18, Requests.abandon(17));
    client.send(19, search("ou=next,dc=example,dc=com").request());
    assertThat(RawLdapClient.last(client.await(19)).resultCode()).isZero();
    client.send(17, search("ou=again,dc=example,dc=com").request());
    assertThat(RawLdapClient.last(client.await(17)).resultCode()).isZero();
    assertThat(idOf("ou=next")).isEqualTo(19);
    assertThat(idOf("ou=again")).isNotEqualTo(17);
  }

  private int idOf(String base) {
    return upstream.received(request -> request.isSearchFor(base)).get(0).messageId();
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

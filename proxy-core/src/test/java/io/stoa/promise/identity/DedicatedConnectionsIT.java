// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.identity;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
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
import io.stoa.testing.Responses;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.Tlv;
import io.stoa.testing.UpstreamLink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Clients that have, or want, connections of their own, and those who need one beside them. */
class DedicatedConnectionsIT {
  private static final int CONNECTIONS = 8;
  private static final int CLIENTS = 2 * CONNECTIONS;
  private static final int BUSY = 51;
  private static final String ELSEWHERE = "127.0.0.2";
  private static final String X = People.dn(1);
  private static final String PAGED = "1.2.840.113556.1.4.319";
  private static final String UNKNOWN_EXTENSION = "1.2.3.4.5.6.7";
  private static final int PROTOCOL_ERROR = 2;
  private static final int UNWILLING = 53;
  private static final RawRequest READ = search(X).baseScope().request();
  private static final RawRequest OWN = READ.with(new Control("1.2.3.4", true));

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private final List<RawLdapClient> clients = new ArrayList<>();
  private ScriptedUpstream upstream;
  private RunningProxy proxy;

  @BeforeEach
  void start() {
    upstream = ScriptedUpstream.start();
    proxy =
        ProxySetup.before(upstream.port())
            .cachesOff()
            .upstream("maxConnections", CONNECTIONS)
            .upstream("queueTimeout", Duration.ofSeconds(3))
            .start();
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(proxy.client());
    }
  }

  @AfterEach
  void stop() {
    clients.forEach(RawLdapClient::close);
    try {
      proxy.close();
    } finally {
      upstream.close();
    }
  }

  private void assertOthersAreServed() {
    try (RawLdapClient other = proxy.client();
        RawLdapClient another = proxy.client()) {
      assertThat(other.code(READ)).isZero();
      assertThat(other.bind(X, People.PASSWORD).code(READ)).isZero();
      assertThat(another.bind(People.dn(2), People.PASSWORD).code(READ)).isZero();
    }
  }

  private RawLdapClient from(String address) {
    RawLdapClient client = RawLdapClient.from(address, proxy.address());
    clients.add(client);
    return client;
  }

  /** Nobody knows who the others are, but where they are. */
  @Test
  void oneAddressTakesNoConnectionFromAnonymousClientsElsewhere() {
    RawRequest unknown = Requests.extended(UNKNOWN_EXTENSION);
    for (int i = 0; i < CONNECTIONS / 2; i++) {
      assertThat(from(ELSEWHERE).code(unknown)).isZero();
    }
    assertThat(clients.get(0).code(unknown)).isZero();
  }

  /**
   * Too many are of one identity, so that the connection of another would be of no use to it,
   * though both come from one address.
   */
  @Test
  void aConnectionThatWouldNotHelpIsNotTaken() {
    RawRequest unknown = Requests.extended(UNKNOWN_EXTENSION);
    for (int i = 0; i < CONNECTIONS / 2; i++) {
      assertThat(clients.get(i).bind(X, People.PASSWORD).code(unknown)).isZero();
    }
    List<RawLdapClient> pagers = List.of(from(ELSEWHERE), from(ELSEWHERE));
    upstream.when(request -> request.isSearchFor(PAGED), DedicatedConnectionsIT::page);
    pagers.forEach(pager -> assertThat(pager.code(page(""))).isZero());
    List<RawLdapClient> more = List.of(from(ELSEWHERE), from(ELSEWHERE));
    for (RawLdapClient client : more) {
      int own = client.bind(X, People.PASSWORD).send(OWN);
      assertThat(client.code(READ)).isZero(); // so the other is waiting now
      assertThat(client.take(own)).isEmpty();
    }
    pagers.forEach(pager -> assertThat(pager.code(page("next"))).isZero());
    assertThat(pages()).hasSize(4);
    assertThat(pages().stream().map(Received::connection).distinct()).hasSize(2);
  }

  /** Those of its own are of use. */
  @Test
  void aConnectionThatHelpsIsTaken() {
    upstream.when(request -> request.isSearchFor(PAGED), DedicatedConnectionsIT::page);
    for (int i = 0; i < CONNECTIONS; i++) {
      RawLdapClient client = from(ELSEWHERE).bind(People.dn(i), People.PASSWORD);
      assertThat(client.code(page(""))).isZero();
    }
  }

  private List<Received> pages() {
    return upstream.received(request -> request.isSearchFor(PAGED));
  }

  private static RawRequest page(String cookie) {
    return READ.with(new SimplePagedResultsControl(1, new ASN1OctetString(cookie)));
  }

  /** They are idle, so one gives way to the next. */
  @Test
  void idleConnectionsOfSingleClientsGiveWay() {
    for (RawLdapClient client : clients) {
      assertThat(client.code(OWN)).isZero();
      assertThat(client.code(OWN)).isZero();
    }
    assertOthersAreServed();
  }

  /** Nothing can be taken from these; but there are no more of them than half. */
  @Test
  void connectionsOfUnknownStateAreBounded() {
    int busy = 0;
    for (RawLdapClient client : clients) {
      client.send(Requests.extended(UNKNOWN_EXTENSION));
    }
    for (RawLdapClient client : clients) {
      int code = RawLdapClient.last(client.await(1)).resultCode();
      assertThat(code).isIn(0, BUSY);
      busy += code == BUSY ? 1 : 0;
    }
    assertThat(busy).isEqualTo(CLIENTS - CONNECTIONS / 2);
    assertOthersAreServed();
  }

  /** The clients stay, and so does the connection on which one can ask for its next page. */
  @Test
  void aDedicatedConnectionWithoutStateIsClosed() {
    upstream.when(request -> request.isSearchFor(X), DedicatedConnectionsIT::page);
    upstream.when(request -> request.message().mentions("1.2.3.4"), Answers.result(12));
    assertThat(clients.get(0).code(page(""))).isZero();
    assertThat(clients.get(1).code(OWN)).isEqualTo(12);
    assertThat(clients.get(2).code(OWN)).isEqualTo(12);
    List<Received> own = upstream.received(request -> request.message().mentions("1.2.3.4"));
    own.forEach(request -> Await.until("it is closed", () -> isClosed(request.connection())));
    assertThat(clients.get(0).code(page("next"))).isZero();
    assertThat(pages())
        .hasSize(2)
        .extracting(Received::connection)
        .containsOnly(pages().get(0).connection());
    assertThat(clients.get(1).code(OWN)).isEqualTo(12);
  }

  /**
   * Whoever only tries whether the directory knows an extended operation is as before if it does
   * not: it shares connections, and the one that it had for that ends.
   */
  @Test
  void aRefusedExtendedOperationLeavesNoState() {
    upstream.when(request -> request.is(Received.EXTENDED), Answers.result(PROTOCOL_ERROR));
    for (RawLdapClient client : clients) {
      assertThat(client.code(Requests.extended(UNKNOWN_EXTENSION))).isEqualTo(PROTOCOL_ERROR);
      assertThat(client.code(READ)).isZero();
    }
    List<Received> tried = upstream.received(request -> request.is(Received.EXTENDED));
    assertThat(tried).hasSize(CLIENTS);
    tried.forEach(request -> Await.until("it is closed", () -> isClosed(request.connection())));
    assertThat(upstream.received(request -> request.isSearchFor(X)))
        .extracting(Received::connection)
        .doesNotContainAnyElementsOf(tried.stream().map(Received::connection).toList());
  }

  /** It is given up before there is a connection for it, and the client is none the worse. */
  @Test
  void anUnsentExtendedOperationLeavesNoState() {
    RawLdapClient client = clients.get(0).bind(X, People.PASSWORD);
    for (int id = 10; id < 20; id++) {
      client.sendOctets(
          Tlv.concat(
              Requests.extended(UNKNOWN_EXTENSION).encode(id),
              Requests.abandon(id).encode(id + 100)));
      assertThat(client.code(READ)).isZero();
    }
  }

  /** Until it is known what was left everything goes over the same connection. */
  @Test
  void requestsBehindAnExtendedOperationFollowIt() {
    Held extended = upstream.hold(request -> request.is(Received.EXTENDED));
    RawLdapClient client = clients.get(0);
    int begin = client.send(Requests.extended(UNKNOWN_EXTENSION));
    int connection = extended.awaitArrival().connection();
    assertThat(client.code(READ)).isZero();
    extended.answer(Answers.success());
    assertThat(RawLdapClient.last(client.await(begin)).resultCode()).isZero();
    assertThat(client.code(READ)).isZero();
    assertThat(upstream.received(request -> request.isSearchFor(X)))
        .hasSize(2)
        .allMatch(request -> request.connection() == connection);
  }

  /**
   * 389-ds calls its paged searches 0, 1 and so on, on each connection: what was the cookie of one
   * is that of another after the connection was lost.
   */
  @Test
  void aCookieOfAConnectionThatIsGoneIsNotSentOnAnother() {
    upstream.when(request -> request.isSearchFor("dc=example"), DedicatedConnectionsIT::page);
    RawLdapClient client = clients.get(0);
    RawRequest other = search(People.dn(2)).baseScope().request();
    assertThat(client.code(page(""))).isZero();
    upstream.dropConnections();
    SimplePagedResultsControl next = new SimplePagedResultsControl(1, new ASN1OctetString("next"));
    assertThat(client.code(other.with(new SimplePagedResultsControl(1)))).isZero();
    int sent = pages().size();
    assertThat(client.code(page("next"))).isEqualTo(UNWILLING);
    assertThat(pages()).hasSize(sent);
    assertThat(client.code(other.with(next))).isZero();
    Control malformed =
        new Control(SimplePagedResultsControl.PAGED_RESULTS_OID, true, new ASN1OctetString("x"));
    assertThat(client.code(other.with(malformed))).as("for the server to refuse").isZero();
  }

  private static void page(Received request, UpstreamLink link) {
    Control more = new SimplePagedResultsControl(0, new ASN1OctetString("next"));
    link.send(request.messageId(), Responses.searchDone(0).with(more));
  }

  private boolean isClosed(int connection) {
    return !upstream
        .received(request -> request.is(Received.UNBIND) && request.connection() == connection)
        .isEmpty();
  }

  /** A share that was given back can be taken again. */
  @Test
  void leavingClientsReleaseTheirShare() {
    for (RawLdapClient client : clients) {
      assertThat(client.code(Requests.extended(UNKNOWN_EXTENSION))).isZero();
      client.close();
    }
    assertOthersAreServed();
  }
}

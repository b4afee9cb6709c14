// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.stoa.ldap.protocol.DecodeLimits;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapProtocolException;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.ldap.protocol.RequestOp;
import io.stoa.net.peer.Peer;
import io.stoa.operation.event.ClientChoice;
import io.stoa.operation.event.ClientStatus;
import io.stoa.server.admin.monitor.ClientSelection.Parent;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.SearchBuilder;
import java.time.Instant;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ClientSelectionTest {
  private static final String CONNECTIONS = "cn=Connections,cn=Monitor";
  private static final String INCOMING =
      "cn=Incoming Connections,cn=Load Balancer,cn=Backends,cn=Monitor";

  private static final List<ClientStatus> ALL =
      LongStream.rangeClosed(1, 9).mapToObj(ClientSelectionTest::client).toList();

  private static ClientStatus client(long number) {
    Instant now = Instant.EPOCH;
    return new ClientStatus(
        number, Peer.UNKNOWN, "ldap://x", "", now, now, 0, 0, 0, 0, false, false);
  }

  /** Those of the parent in which there are more. */
  private static List<Long> reached(RawRequest request) {
    List<Long> connections = reached(request, Parent.CONNECTIONS);
    List<Long> incoming = reached(request, Parent.INCOMING);
    return connections.size() > incoming.size() ? connections : incoming;
  }

  private static List<Long> reached(RawRequest request, Parent parent) {
    return new ClientSelection(op(request), parent)
        .select(ALL).stream().map(ClientStatus::number).toList();
  }

  private static RequestOp op(RawRequest request) {
    try {
      LdapMessage message = LdapMessage.parse(Unpooled.wrappedBuffer(request.encode(1)));
      return new RequestDecoder(() -> DecodeLimits.DEFAULTS).decode(message).op();
    } catch (LdapProtocolException e) {
      throw new AssertionError(e);
    }
  }

  private static List<Long> reached(SearchBuilder search) {
    return reached(search.request());
  }

  private static SearchBuilder search(String base) {
    return Requests.search(base).attributes("version");
  }

  @Test
  void requestsForOtherEntriesBuildOnlyTheRequester() {
    assertThat(reached(search("cn=monitor").baseScope())).containsExactly(1L);
    assertThat(reached(search("cn=monitor").oneLevel())).containsExactly(1L);
    assertThat(reached(search("cn=Caches,cn=Monitor"))).containsExactly(1L);
    assertThat(reached(search(CONNECTIONS).baseScope())).containsExactly(1L);
    assertThat(
            reached(
                search("cn=monitor")
                    .filter(
                        "(|(entryDN=cn=Caches,cn=monitor)(&(cn=*)(objectClass=olmBalancerServer)))")))
        .containsExactly(1L);
    assertThat(reached(Requests.compare("cn=monitor", "ready", "TRUE"))).containsExactly(1L);
    assertThat(reached(Requests.replace("cn=Caches,cn=Monitor", "stoaAction", "flush")))
        .containsExactly(1L);
  }

  @Test
  void lloaddEntriesAreBuiltAlone() {
    RawRequest connections = search(CONNECTIONS).oneLevel().request();
    assertThat(reached(connections, Parent.CONNECTIONS)).hasSize(9);
    assertThat(reached(connections, Parent.INCOMING)).containsExactly(1L);
    RawRequest incoming =
        search("cn=monitor").filter("(objectClass=olmBalancerConnection)").request();
    assertThat(reached(incoming, Parent.CONNECTIONS)).containsExactly(1L);
    assertThat(reached(incoming, Parent.INCOMING)).hasSize(9);
  }

  private static ClientChoice choice(RawRequest request) {
    return new ClientSelection(op(request), Parent.SERVERS).choice();
  }

  @Test
  void upstreamConnectionsAreBuiltAlone() {
    String server =
        "cn=server 1,cn=tier 1,cn=Backend Tiers,cn=Load Balancer,cn=Backends,cn=Monitor";
    String one = "cn=Connection 7," + server;
    assertThat(
            List.of(
                search(one).baseScope().request(),
                Requests.replace(one, "olmConnectionState", "closing"),
                Requests.compare(one, "olmConnectionState", "ready")))
        .extracting(ClientSelectionTest::choice)
        .containsOnly(ClientChoice.one(7));
    assertThat(
            List.of(
                search(server).oneLevel().request(),
                search(server).request(),
                search("cn=monitor").request(),
                search("cn=Backend Tiers,cn=Load Balancer,cn=Backends,cn=Monitor").request(),
                search("cn = Connection 7 , " + server).baseScope().request(),
                search("cn=monitor").filter("(objectClass=olmBalancerConnection)").request()))
        .extracting(ClientSelectionTest::choice)
        .containsOnly(ClientChoice.ALL);
    assertThat(
            List.of(
                search(server).baseScope().request(),
                search(server).filter("(objectClass=olmBalancerServer)").request(),
                Requests.search("cn=monitor").baseScope().request(),
                search("cn=Connection 7," + INCOMING).baseScope().request(),
                search(CONNECTIONS).oneLevel().request(),
                Requests.replace(server, "stoaAction", "drain")))
        .extracting(ClientSelectionTest::choice)
        .containsOnly(ClientChoice.EXAMPLE);
  }

  @Test
  void aRequestForOneClientBuildsOnlyIt() {
    for (String parent : List.of(CONNECTIONS, INCOMING)) {
      assertThat(reached(search("CN=connection 7," + parent).baseScope())).containsExactly(7L, 1L);
      assertThat(reached(Requests.replace("cn=Connection 7," + parent, "stoaAction", "disconnect")))
          .containsExactly(7L, 1L);
      assertThat(reached(search("cn=Connection 77," + parent).baseScope())).containsExactly(1L);
    }
  }

  @Test
  void requestsThatMayConcernClientsBuildAll() {
    assertThat(reached(search("cn=monitor"))).hasSize(9);
    assertThat(reached(Requests.search("cn=monitor").baseScope())).hasSize(9);
    assertThat(reached(search("cn=monitor").baseScope().attributes("Connection"))).hasSize(9);
    assertThat(reached(search("cn=monitor").baseScope().filter("(!(connection=x*))"))).hasSize(9);
    assertThat(reached(search("cn=monitor").filter("(objectClass=monitor)"))).hasSize(9);
    assertThat(reached(search("cn=monitor").filter("(!(objectClass=olmBalancer))"))).hasSize(9);
    assertThat(
            reached(search("cn=monitor").filter("(entryDN=cn=Connection 3," + CONNECTIONS + ")")))
        .hasSize(9);
    assertThat(reached(search(CONNECTIONS).oneLevel())).hasSize(9);
    assertThat(reached(search("cn=Backends,cn=Monitor"))).hasSize(9);
    assertThat(reached(search("cn = Connection 7 , " + INCOMING).baseScope())).hasSize(9);
    assertThat(reached(Requests.compare("cn=monitor", "connection", "x"))).hasSize(9);
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.identity;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Answers;
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
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A directory settles at a bind what the connection may do: whether its password must be changed,
 * which groups it is in. Nobody is served by a connection that was bound before it bound itself.
 */
class FreshBindIT {
  private static final String X = People.dn(1);
  private static final int CLIENTS = 20;
  private static final int INSUFFICIENT_ACCESS_RIGHTS = 50;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private static RawRequest read(int number) {
    return search(X).baseScope().filter("(!(cn=" + number + "))").request();
  }

  // A directory that restricts connections

  private static void mustChange(Slapd slapd, boolean must) {
    try (RawLdapClient root = RawLdapClient.connect(slapd.address())) {
      root.bind(People.ROOT, SlapdConfig.ROOT_PASSWORD);
      String value = must ? "TRUE" : "FALSE";
      assertThat(root.code(Requests.replace(X, "pwdReset", value))).isZero();
    }
  }

  /** With an older client that stays, the codes of searches of four that bind after a change. */
  private static List<Integer> codesAfter(boolean mustChange) {
    List<Integer> codes = new ArrayList<>();
    List<RawLdapClient> clients = new ArrayList<>();
    try (Slapd slapd = Slapd.start(People.policed("pwdMustChange: TRUE"));
        RunningProxy proxy = ProxySetup.before(slapd.port()).cachesOff().start()) {
      mustChange(slapd, !mustChange);
      for (int i = 0; i < 2; i++) {
        clients.add(proxy.client().bind(X, People.PASSWORD));
        codes.add(clients.get(i).code(read(i)));
      }
      mustChange(slapd, mustChange);
      for (int i = 2; i < 6; i++) {
        clients.add(proxy.client().bind(X, People.PASSWORD));
        codes.add(clients.get(i).code(read(i)));
      }
      clients.forEach(RawLdapClient::close);
    }
    return codes;
  }

  @Test
  void aPasswordResetAppliesToTheNextLogin() {
    int no = INSUFFICIENT_ACCESS_RIGHTS;
    assertThat(codesAfter(true)).containsExactly(0, 0, no, no, no, no);
  }

  @Test
  void theEndOfAPasswordResetAppliesToTheNextLogin() {
    int no = INSUFFICIENT_ACCESS_RIGHTS;
    assertThat(codesAfter(false)).containsExactly(no, no, 0, 0, 0, 0);
  }

  // What it costs

  @Test
  void aStormOfLoginsTakesTurnsOnFewConnections() {
    List<RawLdapClient> clients = new ArrayList<>();
    try (ScriptedUpstream upstream = ScriptedUpstream.start();
        RunningProxy proxy = ProxySetup.before(upstream.port()).cachesOff().start()) {
      final int before = upstream.acceptedConnections();
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(proxy.client().bind(X, People.PASSWORD));
        assertThat(clients.get(i).code(read(i))).isZero();
      }
      assertThat(upstream.received(request -> request.is(Received.BIND))).hasSize(CLIENTS);
      assertThat(upstream.acceptedConnections() - before).isLessThanOrEqualTo(4);
      assertServedAsBound(upstream);
      clients.forEach(RawLdapClient::close);
    }
  }

  /** Each read came on the connection of the last bind before it. */
  private static void assertServedAsBound(ScriptedUpstream upstream) {
    int bound = 0;
    for (Received request : upstream.received()) {
      if (request.is(Received.BIND)) {
        bound = request.connection();
      } else if (request.isSearchFor(X)) {
        assertThat(request.connection()).isEqualTo(bound);
      }
    }
  }

  /** What is under way on the older connection is answered there. */
  @Test
  void aWriteInFlightIsNotDisturbedByALogin() {
    try (ScriptedUpstream upstream = ScriptedUpstream.start();
        RunningProxy proxy = oneAtATime(upstream);
        RawLdapClient writer = proxy.client().bind(X, People.PASSWORD);
        RawLdapClient other = proxy.client().bind(X, People.PASSWORD)) {
      Held held = upstream.hold(request -> request.is(Received.MODIFY));
      int write = writer.send(Requests.replace(X, "description", "new"));
      held.awaitArrival();
      for (int i = 0; i < CLIENTS; i++) {
        other.bind(X, People.PASSWORD);
        assertThat(other.code(read(i))).isZero();
        assertThat(writer.code(read(i))).isZero();
      }
      held.answer(Answers.success());
      assertThat(RawLdapClient.last(writer.await(write)).resultCode()).isZero();
      assertThat(upstream.received(request -> request.is(Received.MODIFY))).hasSize(1);
    }
  }

  private static RunningProxy oneAtATime(ScriptedUpstream upstream) {
    return ProxySetup.before(upstream.port())
        .cachesOff()
        .upstream("maxInFlightPerConnection", 1)
        .start();
  }

  // Several servers

  /** Reads go where there is least to do, writes to the first: both to connections bound since. */
  @Test
  void aWriteAfterALoginUsesNoOlderConnection() {
    List<RawLdapClient> clients = new ArrayList<>();
    try (ScriptedUpstream first = ScriptedUpstream.start();
        ScriptedUpstream second = ScriptedUpstream.start();
        RunningProxy proxy = ProxySetup.before(first.port(), second.port()).cachesOff().start();
        RawLdapClient busy = proxy.client()) {
      first.hold(request -> request.isSearchFor("busy"));
      for (int i = 0; i < 10; i++) {
        busy.send(search("cn=busy" + i).baseScope().request());
      }
      for (int i = 0; i < CLIENTS; i++) {
        int known = first.received().size();
        clients.add(proxy.client().bind(X, People.PASSWORD));
        assertThat(clients.get(i).code(Requests.replace(X, "description", "n" + i))).isZero();
        assertBoundSince(known, first);
      }
      clients.forEach(RawLdapClient::close);
    }
  }

  private static void assertBoundSince(int known, ScriptedUpstream upstream) {
    List<Received> all = upstream.received();
    Received write =
        all.stream().filter(one -> one.is(Received.MODIFY)).reduce((a, b) -> b).orElseThrow();
    assertThat(all.subList(known, all.size()))
        .anyMatch(one -> one.is(Received.BIND) && one.connection() == write.connection());
  }
}

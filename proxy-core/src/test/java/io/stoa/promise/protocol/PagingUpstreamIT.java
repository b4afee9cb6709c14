// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.protocol;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Entry;
import io.stoa.testing.Answer;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.Pager;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a directory gets to see of paged searches. */
class PagingUpstreamIT {
  private static final String BASE = "ou=found," + People.SUFFIX;
  private static final int SEARCH = Received.SEARCH;
  private static final RawRequest FIND = search(BASE).request();
  private static final Entry[] FOUND =
      IntStream.range(0, 10).mapToObj(PagingUpstreamIT::entry).toArray(Entry[]::new);

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream upstream;

  @BeforeEach
  void start() {
    upstream = ScriptedUpstream.start();
    upstream.when(PagingUpstreamIT::isFind, Answers.entries(FOUND));
  }

  @AfterEach
  void stop() {
    upstream.close();
  }

  private static Entry entry(int number) {
    return new Entry("cn=" + number + "," + BASE, new com.unboundid.ldap.sdk.Attribute("cn", "x"));
  }

  private static boolean isFind(Received request) {
    return request.isSearchFor(BASE);
  }

  private static boolean isPaged(Received request) {
    return isFind(request) && request.message().mentions(Pager.OID);
  }

  /** A directory that says that it knows the control. */
  private RunningProxy paging() {
    Entry root = new Entry("");
    root.addAttribute("objectClass", "top");
    root.addAttribute("supportedControl", Pager.OID);
    upstream.when(request -> request.isSearchFor("supportedControl"), Answers.entries(root));
    return ProxySetup.before(upstream.port()).start();
  }

  @Test
  void aPagedSearchIsForwardedIfTheServerLacksTheControl() {
    try (RunningProxy proxy = ProxySetup.before(upstream.port()).start();
        RawLdapClient client = proxy.client()) {
      assertThat(new Pager(client, FIND).next(3).entries()).hasSize(10);
      assertThat(upstream.received(PagingUpstreamIT::isPaged)).hasSize(1);
    }
  }

  @Test
  void theWholeResultIsRequestedUpToTheBypassLimit() {
    try (RunningProxy proxy = paging();
        RawLdapClient client = proxy.client()) {
      assertThat(new Pager(client, FIND).rest(3)).hasSize(4);
      List<Received> asked = upstream.received(PagingUpstreamIT::isFind);
      assertThat(asked).hasSize(1).noneMatch(PagingUpstreamIT::isPaged);
      assertThat(asked.get(0).message().op()).isEqualTo(search(BASE).sizeLimit(100).request().op());
    }
  }

  @Test
  void theClientsSizeLimitIsKept() {
    RawRequest limited = search(BASE).sizeLimit(20).request();
    try (RunningProxy proxy = paging();
        RawLdapClient client = proxy.client()) {
      assertThat(new Pager(client, limited).rest(3)).hasSize(4);
      assertThat(upstream.received(PagingUpstreamIT::isFind).get(0).message().op())
          .isEqualTo(limited.op());
    }
  }

  @Test
  void aResultWithReferencesIsPagedByTheDirectory() {
    Answer reference =
        (request, link) -> link.send(request.messageId(), Responses.reference("ldap://x/dc=x"));
    upstream.when(PagingUpstreamIT::isFind, reference.then(Answers.success()));
    try (RunningProxy proxy = paging();
        RawLdapClient client = proxy.client()) {
      assertThat(new Pager(client, FIND).next(3).entries()).hasSize(1);
      assertThat(upstream.received(PagingUpstreamIT::isFind)).hasSize(2);
      assertThat(upstream.received(PagingUpstreamIT::isPaged)).hasSize(1);
    }
  }

  /** Such a client has a connection of its own, on which messageIDs are otherwise its own. */
  @Test
  void lateAnswersOfTheWholeSearchDoNotReachASaslClient() {
    AtomicInteger first = new AtomicInteger();
    upstream.when(
        PagingUpstreamIT::isFind,
        (request, link) -> {
          first.set(request.messageId());
          link.send(request.messageId(), Responses.reference("ldap://x/dc=x"));
        });
    Answer late = (request, link) -> link.send(first.get(), Responses.result(SEARCH, 0));
    upstream.when(PagingUpstreamIT::isPaged, late.then(Answers.entries(FOUND)));
    try (RunningProxy proxy = paging();
        RawLdapClient client = proxy.client()) {
      assertThat(client.code(Requests.saslBind("X-TEST", "token"))).isZero();
      assertThat(new Pager(client, FIND).next(3).entries()).hasSize(10);
    }
  }

  @Test
  void anIdOfAnAbandonedSearchIsFreeForAClientBoundBySasl() {
    AtomicInteger abandoned = new AtomicInteger();
    RawRequest other = search("ou=other," + People.SUFFIX).request();
    Held held = upstream.hold(PagingUpstreamIT::isFind);
    Answer late = (request, link) -> link.send(abandoned.get(), Responses.result(SEARCH, 50));
    upstream.when(request -> request.isSearchFor("ou=other"), late.then(Answers.success()));
    try (RunningProxy proxy = ProxySetup.before(upstream.port()).start();
        RawLdapClient client = proxy.client()) {
      assertThat(client.code(Requests.saslBind("X-TEST", "token"))).isZero();
      int id = client.send(FIND);
      held.awaitArrival();
      abandoned.set(upstream.received(PagingUpstreamIT::isFind).get(0).messageId());
      client.send(Requests.abandon(id));
      upstream.awaitReceived(1, request -> request.is(Received.ABANDON));
      client.sendOctets(other.encode(id));
      assertThat(client.await(id).get(0).resultCode()).isZero();
    }
  }

  @Test
  void aFailureReachesTheClientFromTheDirectory() {
    upstream.when(PagingUpstreamIT::isFind, Answers.result(50));
    try (RunningProxy proxy = paging();
        RawLdapClient client = proxy.client()) {
      assertThat(new Pager(client, FIND).next(3).code()).isEqualTo(50);
      assertThat(upstream.received(PagingUpstreamIT::isPaged)).hasSize(1);
    }
  }

  @Test
  void abandoningAFirstPageAbandonsTheSearchForAll() {
    Held held = upstream.hold(PagingUpstreamIT::isFind);
    try (RunningProxy proxy = paging();
        RawLdapClient client = proxy.client()) {
      int id = client.send(Pager.request(FIND, 3, new byte[0]));
      held.awaitArrival();
      client.send(Requests.abandon(id));
      upstream.awaitReceived(1, request -> request.is(Received.ABANDON));
      Await.until("no fill is left", () -> proxy.status().fillsInFlight() == 0);
      assertThat(new Pager(client, FIND).rest(3)).hasSize(4);
    }
  }

  @Test
  void theSearchOfALeavingClientIsAbandoned() {
    Held held = upstream.hold(PagingUpstreamIT::isFind);
    try (RunningProxy proxy = paging()) {
      try (RawLdapClient client = proxy.client()) {
        client.send(Pager.request(FIND, 3, new byte[0]));
        held.awaitArrival();
      }
      upstream.awaitReceived(1, request -> request.is(Received.ABANDON));
    }
  }

  @Test
  void theWholeSearchIsRetriedIfItsConnectionIsLost() {
    Held held = upstream.hold(PagingUpstreamIT::isFind);
    try (RunningProxy proxy = paging();
        RawLdapClient client = proxy.client()) {
      int id = client.send(Pager.request(FIND, 30, new byte[0]));
      held.awaitArrival();
      upstream.dropConnections();
      assertThat(client.await(id)).hasSize(11);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.protocol;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.protocol.SearchRequestProtocolOp;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.Entry;
import com.unboundid.ldap.sdk.SearchScope;
import io.stoa.testing.Answer;
import io.stoa.testing.Answers;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.UpstreamLink;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Attributes that come in ranges, from a directory that returns three values at once. */
class AttributeRangesIT {
  private static final int AT_ONCE = 3;
  private static final String GROUP = "CN=big,DC=example,DC=com";
  private static final RawRequest READ = search(GROUP).attributes("cn", "member").request();

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private final List<String> members =
      new ArrayList<>(IntStream.range(0, 10).mapToObj(i -> "CN=m" + i).toList());
  private int atOnce = AT_ONCE;
  private ScriptedUpstream upstream;
  private final AtomicInteger sequenceNumber = new AtomicInteger(7);

  @BeforeEach
  void start() {
    upstream = ScriptedUpstream.start();
    upstream.when(request -> request.isSearchFor(GROUP), this::activeDirectory);
  }

  @AfterEach
  void stop() {
    upstream.close();
  }

  private void activeDirectory(Received request, UpstreamLink link) {
    SearchRequestProtocolOp search = request.message().decoded().getSearchRequestProtocolOp();
    Entry entry = new Entry(GROUP);
    for (String name : search.getAttributes()) {
      switch (name.replaceAll(";.*", "")) {
        case "member" -> addMembers(entry, name);
        case "uSNChanged" -> entry.addAttribute(name, sequenceNumber.toString());
        default -> entry.addAttribute(name, "x");
      }
    }
    link.send(request.messageId(), Responses.entry(entry));
    if (!search.getScope().equals(SearchScope.BASE)) {
      link.send(request.messageId(), Responses.entry(new Entry("CN=next," + GROUP)));
    }
    Answers.success().to(request, link);
  }

  private void addMembers(Entry entry, String name) {
    int first = name.contains("range=") ? Integer.parseInt(name.replaceAll(".*=|-.*", "")) : 0;
    int end = Math.min(first + atOnce, members.size());
    String last = end == members.size() ? "*" : Integer.toString(end - 1);
    if (first == 0) {
      entry.addAttribute(new Attribute("member"));
    }
    entry.addAttribute("member;range=" + first + "-" + last, members.subList(first, end));
  }

  private RunningProxy merging() {
    return ProxySetup.before(upstream.port()).adapt("mergeRanges", true).start();
  }

  private static Attribute member(List<RawMessage> answer, String name) {
    return new Entry(
            GROUP, answer.get(0).decoded().getSearchResultEntryProtocolOp().getAttributes())
        .getAttribute(name);
  }

  @Test
  void allRangesAreMergedAndCached() {
    try (RunningProxy proxy = merging();
        RawLdapClient client = proxy.client()) {
      List<RawMessage> answer = client.call(READ);
      assertThat(member(answer, "member").getValues()).containsExactlyElementsOf(members);
      assertThat(answer.get(0).mentions("range")).isFalse();
      assertThat(answer).as("order and number").hasSize(3);
      assertThat(answer.get(1).mentions("CN=next")).isTrue();
      assertThat(client.call(READ).get(0).body()).isEqualTo(answer.get(0).body());
      assertThat(proxy.cache().filterHits()).isEqualTo(1);
      assertThat(upstream.received(request -> request.isSearchFor("range=9-*"))).hasSize(1);
    }
  }

  /** Its octets are more than may be held for one client. */
  @Test
  void aGroupOfAHundredThousandIsMerged() {
    atOnce = 1500;
    members.clear();
    IntStream.range(0, 100_000)
        .mapToObj(i -> "CN=member number " + i + ",OU=people of all offices,DC=example,DC=com")
        .forEach(members::add);
    try (RunningProxy proxy = merging();
        RawLdapClient client = proxy.client()) {
      assertThat(member(client.call(READ), "member").getValues())
          .containsExactlyElementsOf(members);
      assertThat(member(client.call(READ), "member").getValues()).hasSize(100_000);
    }
  }

  @Test
  void theReadsAreDoneAsTheClient() {
    try (RunningProxy proxy = merging();
        RawLdapClient client = proxy.client().bind("CN=me", "secret")) {
      client.call(READ);
      assertThat(upstream.received(request -> request.isSearchFor("member")))
          .hasSize(5)
          .allMatch(request -> request.identity().equals("CN=me"));
    }
  }

  @Test
  void anEntryChangedDuringTheReadsIsForwardedUnchanged() {
    upstream.when(
        request -> request.isSearchFor("range=6-*"),
        (request, link) -> {
          sequenceNumber.incrementAndGet();
          activeDirectory(request, link);
        });
    try (RunningProxy proxy = merging();
        RawLdapClient client = proxy.client()) {
      List<RawMessage> answer = client.call(READ);
      assertThat(answer).hasSize(3);
      assertThat(member(answer, "member;range=0-2").getValues()).hasSize(AT_ONCE);
      client.call(READ);
      assertThat(proxy.cache().filterHits()).as("the answer is not stored").isZero();
    }
  }

  @Test
  void anEntryChangedBeforeTheReadsIsForwardedUnchanged() {
    upstream.when(
        request -> request.isSearchFor("range=0-*"),
        (request, link) -> {
          members.set(0, "CN=other");
          activeDirectory(request, link);
        });
    try (RunningProxy proxy = merging();
        RawLdapClient client = proxy.client()) {
      assertThat(member(client.call(READ), "member;range=0-2").getValues()).contains("CN=m0");
    }
  }

  @Test
  void failedReadsForwardTheEntryUnchanged() {
    upstream.when(request -> request.isSearchFor("range=3-*"), Answers.result(50));
    try (RunningProxy proxy = merging();
        RawLdapClient client = proxy.client()) {
      assertThat(member(client.call(READ), "member;range=0-2").getValues()).hasSize(AT_ONCE);
    }
  }

  @Test
  void aRequestedRangeIsForwarded() {
    RawRequest ranged = search(GROUP).attributes("member;range=3-*").request();
    try (RunningProxy proxy = merging();
        RawLdapClient client = proxy.client()) {
      assertThat(member(client.call(ranged), "member;range=3-5").getValues()).hasSize(AT_ONCE);
      assertThat(upstream.received(request -> request.isSearchFor(GROUP))).hasSize(1);
    }
  }

  @Test
  void rangesAreNotMergedByDefault() {
    try (RunningProxy proxy = ProxySetup.before(upstream.port()).start();
        RawLdapClient client = proxy.client()) {
      assertThat(member(client.call(READ), "member;range=0-2").getValues()).hasSize(AT_ONCE);
      assertThat(upstream.received(request -> request.isSearchFor(GROUP))).hasSize(1);
    }
  }

  @Test
  void entriesBeyondTheBufferAreForwardedUnchanged() {
    Answer large =
        (request, link) -> {
          Entry entry = new Entry(GROUP);
          entry.addAttribute("member;range=0-0", "x".repeat(1 << 20));
          for (int i = 0; i < 6; i++) {
            link.send(request.messageId(), Responses.entry(entry));
          }
          Answers.success().to(request, link);
        };
    upstream.when(request -> request.isSearchFor(GROUP), large);
    try (RunningProxy proxy = merging();
        RawLdapClient client = proxy.client()) {
      assertThat(client.call(READ)).hasSize(7);
      assertThat(upstream.received(request -> request.isSearchFor(GROUP))).hasSize(1);
    }
  }

  @Test
  void abandoningEndsTheReads() {
    Held held = upstream.hold(request -> request.isSearchFor("range=3-*"));
    try (RunningProxy proxy = merging();
        RawLdapClient client = proxy.client()) {
      int id = client.send(READ);
      held.awaitArrival();
      client.send(Requests.abandon(id));
      upstream.awaitReceived(1, request -> request.is(Received.ABANDON));
      assertThat(member(client.call(READ), "member").getValues()).hasSize(members.size());
    }
  }
}

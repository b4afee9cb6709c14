// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.protocol;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.internal.PlatformDependent;
import io.stoa.testing.Answer;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ClientSwarm;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.Invariants;
import io.stoa.testing.Memory;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.Slapd;
import io.stoa.testing.Tlv;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Clients that leave, tear, flood or do not read: nothing leaks, and no answers are crossed. */
class HostileClientFlowIT {
  private static final int PEOPLE = 200;
  private static final long MEGABYTE = 1 << 20;
  private static final String WHO_AM_I = "1.3.6.1.4.1.4203.1.11.3";

  private static Slapd slapd;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  @BeforeAll
  static void startDirectory() {
    slapd = Slapd.start(People.slapd(PEOPLE));
  }

  @AfterAll
  static void stopDirectory() {
    slapd.close();
  }

  private static RunningProxy proxy() {
    return ProxySetup.before(slapd.port()).start();
  }

  @Test
  void requestsMayArriveInOneSegment() {
    try (RunningProxy proxy = proxy();
        RawLdapClient client = proxy.client()) {
      client.sendOctets(Tlv.concat(People.find(1).encode(1), People.find(2).encode(2)));
      assertThat(client.await(1).get(0).mentions("user.1")).isTrue();
      assertThat(client.await(2).get(0).mentions("user.2")).isTrue();
    }
  }

  @Test
  void aRequestMayArriveOctetByOctet() {
    try (RunningProxy proxy = proxy();
        RawLdapClient client = proxy.client()) {
      List<RawMessage> whole = client.call(People.find(1));
      client.sendTorn(People.find(1).encode(100), 1);
      assertThat(bodies(client.await(100))).isEqualTo(bodies(whole));
    }
  }

  @Test
  void aRequestMayBeSplitAnywhere() {
    try (RunningProxy proxy = proxy();
        RawLdapClient client = proxy.client()) {
      List<String> whole = bodies(client.call(People.find(1)));
      byte[] octets = People.find(1).encode(100);
      for (int split = 1; split < octets.length; split++) {
        client.sendOctets(Arrays.copyOf(octets, split));
        client.sendOctets(Arrays.copyOfRange(octets, split, octets.length));
        assertThat(bodies(client.await(100))).isEqualTo(whole);
      }
    }
  }

  private static List<String> bodies(List<RawMessage> messages) {
    return messages.stream().map(message -> HexFormat.of().formatHex(message.body())).toList();
  }

  @Test
  void aResetWithTenThousandSearchesInFlightLeavesNothing() {
    try (RunningProxy proxy = proxy()) {
      for (int round = 0; round < 5; round++) {
        RawLdapClient client = proxy.client();
        client.sendOctets(searches(10_000));
        assertThat(client.next()).as("the first answer, of which there are many").isPresent();
        client.reset();
      }
    }
  }

  @Test
  void unbindInTheMiddleEndsTheConnection() {
    try (RunningProxy proxy = proxy();
        RawLdapClient client = proxy.client()) {
      byte[] unbind = Requests.unbind().encode(101);
      client.sendOctets(Tlv.concat(searches(100), unbind, People.find(1).encode(102)));
      List<RawMessage> answers = client.drain();
      assertThat(answers).allMatch(answer -> answer.messageId() <= 100);
      assertOwnAnswers(answers);
    }
  }

  /** As slapd does, Stoa takes the end of the requests for the end of the connection. */
  @Test
  void aClientThatHasFinishedSendingGetsOnlyItsOwnAnswers() {
    try (RunningProxy proxy = proxy();
        RawLdapClient client = proxy.client()) {
      client.sendOctets(searches(100));
      client.halfClose();
      assertOwnAnswers(client.drain());
    }
  }

  /** Search {@code n} is for person {@code n % PEOPLE}, under messageID {@code n}. */
  private static byte[] searches(int count) {
    byte[][] requests = new byte[count][];
    for (int i = 0; i < count; i++) {
      requests[i] = People.find((i + 1) % PEOPLE).encode(i + 1);
    }
    return Tlv.concat(requests);
  }

  private static void assertOwnAnswers(List<RawMessage> answers) {
    answers.stream()
        .filter(answer -> answer.opTag() == RawMessage.SEARCH_ENTRY)
        .forEach(
            entry ->
                assertThat(entry.decoded().getSearchResultEntryProtocolOp().getDN())
                    .isEqualTo(People.dn(entry.messageId() % PEOPLE)));
  }

  /** One client does not take its 100 MB; the directory's other clients are served meanwhile. */
  @Test
  void aClientThatNeverReadsDoesNotBlockOthers() {
    try (ScriptedUpstream upstream = ScriptedUpstream.start()) {
      upstream.when(request -> request.isSearchFor("ou=huge"), hundredMegabytes());
      try (RunningProxy proxy = ProxySetup.before(upstream.port()).start();
          RawLdapClient lazy = proxy.client();
          RawLdapClient other = proxy.client()) {
        final long before = PlatformDependent.usedDirectMemory();
        lazy.send(search("ou=huge,dc=example,dc=com").request());
        upstream.awaitReceived(1, request -> request.isSearchFor("ou=huge"));
        for (int i = 0; i < 200; i++) {
          assertThat(other.code(search("ou=x" + i + ",dc=example,dc=com").request())).isZero();
        }
        assertThat(PlatformDependent.usedDirectMemory() - before).isLessThan(32 * MEGABYTE);
      }
    }
  }

  private static Answer hundredMegabytes() {
    Answer megabyte = Answers.onlyEntries(Answers.person("huge", "x".repeat((int) MEGABYTE)));
    return (request, link) -> {
      for (int i = 0; i < 100; i++) {
        megabyte.to(request, link);
      }
      Answers.success().to(request, link);
    };
  }

  /** The upstream connection on which a client's bind was under way is nobody else's. */
  @Test
  void aBindOfADeadClientBindsNoOtherClient() {
    try (ScriptedUpstream upstream = ScriptedUpstream.start();
        RunningProxy proxy = ProxySetup.before(upstream.port()).cachesOff().start()) {
      Held bind = upstream.hold(request -> request.is(Received.BIND));
      RawLdapClient dying = proxy.client();
      dying.send(Requests.bind(People.dn(1), People.PASSWORD));
      bind.awaitArrival();
      dying.reset();
      try (RawLdapClient next = proxy.client()) {
        assertAnonymous(next);
        bind.answer(Answers.success());
        Await.until("the dead client is gone", () -> proxy.status().connections() == 1);
        assertAnonymous(next);
      }
      try (RawLdapClient later = proxy.client()) {
        assertAnonymous(later);
      }
    }
  }

  private static void assertAnonymous(RawLdapClient client) {
    RawMessage whoAmI = RawLdapClient.last(client.call(Requests.extended(WHO_AM_I)));
    assertThat(whoAmI.mentions("user.")).isFalse();
  }

  /** Same messageIDs, same query, other identities: everybody reads only the own description. */
  @Test
  void twoHundredIdentitiesWithTheSameIdsGetTheirOwnAnswers() {
    try (RunningProxy proxy = proxy();
        ClientSwarm crowd = new ClientSwarm()) {
      for (int i = 0; i < PEOPLE; i++) {
        crowd.add(proxy.client()).bind(People.dn(i), People.PASSWORD);
      }
      for (int round = 0; round < 10; round++) {
        askForDescriptions(crowd.all());
      }
    }
  }

  private static void askForDescriptions(List<RawLdapClient> clients) {
    RawRequest request =
        search(People.PEOPLE).filter("(description=*)").attributes("description").request();
    clients.forEach(client -> client.send(1000, request));
    for (int i = 0; i < clients.size(); i++) {
      List<RawMessage> answer = clients.get(i).await(1000);
      assertThat(answer).as("answer to %s", People.dn(i)).hasSize(2);
      assertThat(descriptions(answer)).containsExactly(People.dn(i));
    }
  }

  private static Set<String> descriptions(List<RawMessage> answer) {
    return answer.stream()
        .filter(message -> message.opTag() == RawMessage.SEARCH_ENTRY)
        .flatMap(m -> m.decoded().getSearchResultEntryProtocolOp().getAttributes().stream())
        .map(attribute -> attribute.getValue())
        .collect(Collectors.toSet());
  }

  /** Searches that are abandoned, half sent, or whose client leaves: all are forgotten. */
  @Test
  void hundredThousandAbandonedOperationsLeaveNothing() {
    try (RunningProxy proxy = ProxySetup.before(slapd.port()).cachesOff().start()) {
      abandonThousand(proxy, 0);
      Invariants.assertNothingLeft(proxy::status);
      final long heap = Memory.heapInUse();
      final long direct = PlatformDependent.usedDirectMemory();
      for (int round = 1; round <= 100; round++) {
        abandonThousand(proxy, round);
      }
      Invariants.assertNothingLeft(proxy::status);
      Await.until("the heap is back", () -> Memory.heapInUse() - heap < 16 * MEGABYTE);
      assertThat(PlatformDependent.usedDirectMemory() - direct).isLessThan(32 * MEGABYTE);
    }
  }

  /** Operations that were abandoned still count with slapd, which ends anonymous floods. */
  @Test
  void abandonedOperationsCostNoUpstreamConnection() {
    try (RunningProxy proxy = ProxySetup.before(slapd.port()).cachesOff().start();
        RawLdapClient client = proxy.client()) {
      for (int round = 0; round < 20; round++) {
        sendAndAbandon(client);
      }
      assertThat(client.code(People.find(1))).isZero();
      assertThat(proxy.status().backends().get(0).connectionsLost()).isZero();
    }
  }

  private static void sendAndAbandon(RawLdapClient client) {
    List<byte[]> octets = new ArrayList<>();
    for (int i = 1; i < 2000; i += 2) {
      octets.add(slowSearch(i).encode(i));
      octets.add(Requests.abandon(i).encode(i + 1));
    }
    client.sendOctets(Tlv.concat(octets.toArray(byte[][]::new)));
  }

  /** A directory without an index for it looks at everybody, many times. */
  private static RawRequest slowSearch(int number) {
    StringBuilder filter = new StringBuilder("(|");
    for (int i = 0; i < 30; i++) {
      filter.append("(cn=*").append(number).append('x').append(i).append("*)");
    }
    return search(People.PEOPLE).filter(filter + ")").request();
  }

  private static void abandonThousand(RunningProxy proxy, int round) {
    byte[][] octets = new byte[1000][];
    for (int i = 0; i < 500; i++) {
      octets[2 * i] = People.find(i % PEOPLE).encode(2 * i + 1);
      octets[2 * i + 1] = Requests.abandon(2 * i + 1).encode(2 * i + 2);
    }
    RawLdapClient client = proxy.client();
    client.sendOctets(Tlv.concat(octets));
    client.sendOctets(searches(500));
    client.sendOctets(Arrays.copyOf(People.find(1).encode(5000), 10 + round % 20));
    if (round % 2 == 0) {
      client.reset();
    } else {
      client.close();
    }
  }
}

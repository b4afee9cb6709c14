// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.protocol;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.Control;
import io.netty.util.internal.PlatformDependent;
import io.stoa.net.tls.TlsConfig;
import io.stoa.testing.Answer;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.Certificates;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.Tlv;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Messages of a server that are too large to be collected go on to the client as they arrive. */
class LargeMessageIT {
  private static final int MEGABYTE = 1 << 20;
  private static final int LARGE = 3 * MEGABYTE;
  private static final String EXTENSION = "1.3.6.1.4.1.4203.1.11.1";

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream upstream;

  @BeforeEach
  void start() {
    upstream = ScriptedUpstream.start();
  }

  @AfterEach
  void stop() {
    upstream.close();
  }

  private RunningProxy proxy() {
    return ProxySetup.before(upstream.port()).start();
  }

  private static RawRequest find(String name) {
    return search("ou=" + name + "," + People.SUFFIX).request();
  }

  private Held hold(String name) {
    return upstream.hold(request -> request.isSearchFor("ou=" + name));
  }

  private static byte[] noise(int size) {
    byte[] octets = new byte[size];
    new Random(size).nextBytes(octets);
    return octets;
  }

  /** An entry with one value of so many octets. */
  private static RawRequest entry(int size) {
    byte[] value = Tlv.of(0x31, Tlv.of(0x04, noise(size)));
    byte[] attribute =
        Tlv.of(0x30, Tlv.of(0x04, "jpegPhoto".getBytes(StandardCharsets.UTF_8)), value);
    byte[] name = Tlv.of(0x04, "cn=large,dc=example,dc=com".getBytes(StandardCharsets.UTF_8));
    return new RawRequest(Tlv.of(RawMessage.SEARCH_ENTRY, name, Tlv.of(0x30, attribute)));
  }

  private static Answer send(RawRequest response) {
    return (request, link) -> link.send(request.messageId(), response);
  }

  /** The octets of a response from one share of it to another. */
  private static Answer part(RawRequest response, double from, double to) {
    return (request, link) -> {
      byte[] octets = response.encode(request.messageId());
      int start = (int) (octets.length * from);
      link.sendOctets(Arrays.copyOfRange(octets, start, (int) (octets.length * to)));
    };
  }

  private static void assertOneEntry(List<RawMessage> answer, RawRequest entry) {
    assertThat(answer).hasSize(2);
    assertThat(answer.get(0).body()).isEqualTo(RawMessage.parse(entry.encode(1)).body());
    assertThat(answer.get(1).resultCode()).isZero();
  }

  @Test
  void aLargeEntryArrivesUnchangedAndIsNotCached() {
    RawRequest entry = entry(LARGE);
    upstream.when(r -> r.isSearchFor("ou=large"), send(entry).then(Answers.success()));
    try (RunningProxy proxy = proxy();
        RawLdapClient client = proxy.client()) {
      assertOneEntry(client.call(find("large")), entry);
      assertOneEntry(client.call(find("large")), entry);
      assertThat(upstream.received(r -> r.isSearchFor("ou=large"))).hasSize(2);
      assertThat(proxy.status().fillsInFlight()).isZero();
    }
  }

  @Test
  void entriesOfAllSizesComeInTheirOrder() {
    List<RawRequest> entries =
        List.of(entry(10), entry(LARGE), entry(5_000), entry(MEGABYTE - 80), entry(MEGABYTE));
    Answer all = entries.stream().map(LargeMessageIT::send).reduce(Answer::then).orElseThrow();
    upstream.when(r -> r.isSearchFor("ou=all"), all.then(Answers.success()));
    try (RunningProxy proxy = proxy();
        RawLdapClient client = proxy.client()) {
      List<RawMessage> answer = client.call(find("all"));
      assertThat(answer.subList(0, entries.size()).stream().map(RawMessage::body))
          .containsExactlyElementsOf(
              entries.stream().map(e -> RawMessage.parse(e.encode(1)).body()).toList());
    }
  }

  @Test
  void otherAnswersWaitForTheEndOfALargeMessage() {
    RawRequest entry = entry(LARGE);
    Held large = hold("large");
    Held other = hold("other");
    try (RunningProxy proxy = proxy();
        RawLdapClient client = proxy.client();
        RawLdapClient neighbour = proxy.client()) {
      int largeId = client.send(find("large"));
      large.answer(part(entry, 0, 0.5));
      final int otherId = client.send(find("other"));
      other.answer(Answers.entries(Answers.person("other", "small")));
      assertThat(neighbour.code(find("neighbour"))).isZero();
      large.answer(part(entry, 0.5, 1).then(Answers.success()));
      assertOneEntry(client.await(largeId), entry);
      assertThat(client.await(otherId)).hasSize(2);
    }
  }

  @Test
  void twoLargeMessagesForOneClientTakeTurns() {
    RawRequest entry = entry(LARGE);
    Held first = hold("first");
    Held second = hold("second");
    try (RunningProxy proxy = proxy();
        RawLdapClient client = proxy.client()) {
      final int firstId = client.send(find("first"));
      first.answer(part(entry, 0, 0.3));
      final int secondId = client.send(find("second"));
      second.awaitArrival();
      CompletableFuture<Void> all =
          CompletableFuture.runAsync(() -> second.answer(send(entry).then(Answers.success())));
      first.answer(part(entry, 0.3, 0.6));
      first.answer(part(entry, 0.6, 1).then(Answers.success()));
      assertOneEntry(client.await(firstId), entry);
      assertOneEntry(client.await(secondId), entry);
      all.join();
    }
  }

  @Test
  void aTruncatedMessageEndsOnlyItsClientsConnection() {
    Held large = hold("large");
    try (RunningProxy proxy = proxy();
        RawLdapClient client = proxy.client();
        RawLdapClient other = proxy.client()) {
      client.send(find("large"));
      large.answer(part(entry(LARGE), 0, 0.5).then(Answers.close()));
      assertThat(client.closesWithin(Duration.ofSeconds(20))).isTrue();
      assertThat(other.code(find("other"))).isZero();
    }
  }

  @Test
  void aServerSilentWithinAMessageTimesOut() {
    Held large = hold("large");
    ProxySetup impatient =
        ProxySetup.before(upstream.port()).upstream("operationTimeout", Duration.ofSeconds(1));
    try (RunningProxy proxy = impatient.start();
        RawLdapClient client = proxy.client()) {
      client.send(find("large"));
      large.answer(part(entry(LARGE), 0, 0.5));
      assertThat(client.closesWithin(Duration.ofSeconds(20))).isTrue();
      assertThat(log.warningsOf("ResponseTimeout")).isNotEmpty();
    }
  }

  @Test
  void aLargeMessageToALostClientTakesNoMemory() {
    Held large = hold("large");
    RawRequest entry = entry(20 * MEGABYTE);
    try (RunningProxy proxy = proxy()) {
      RawLdapClient client = proxy.client();
      client.send(find("large"));
      large.answer(part(entry, 0, 0.1));
      client.reset();
      Await.until("the client has gone", () -> proxy.status().connections() == 0);
      final long before = PlatformDependent.usedDirectMemory();
      large.answer(part(entry, 0.1, 1).then(Answers.success()));
      try (RawLdapClient other = proxy.client()) {
        assertThat(other.code(find("other"))).isZero();
      }
      assertThat(PlatformDependent.usedDirectMemory() - before).isLessThan(10 * MEGABYTE);
    }
  }

  @Test
  void anAbandonedMessageIsCompletedAndNothingFollows() {
    RawRequest entry = entry(LARGE);
    Held large = hold("large");
    try (RunningProxy proxy = proxy();
        RawLdapClient client = proxy.client()) {
      int id = client.send(find("large"));
      large.answer(part(entry, 0, 0.5));
      client.send(Requests.abandon(id));
      upstream.awaitReceived(1, request -> request.is(Received.ABANDON));
      large.answer(part(entry, 0.5, 1).then(send(entry)).then(Answers.success()));
      assertThat(client.code(find("other"))).isZero();
      List<RawMessage> answer = client.take(id);
      assertThat(answer).hasSize(1);
      assertThat(answer.get(0).body()).isEqualTo(RawMessage.parse(entry.encode(1)).body());
    }
  }

  /** Its rest would have to follow in plain, on a connection that speaks TLS by then. */
  @Test
  void tlsIsNotStartedInTheMiddleOfAnAbandonedMessage() {
    RawRequest entry = entry(LARGE);
    Held large = hold("large");
    try (Certificates certificates = Certificates.create();
        RunningProxy proxy = startingTls(certificates.server());
        RawLdapClient client = proxy.client()) {
      int id = client.send(find("large"));
      large.answer(part(entry, 0, 0.5));
      client.send(Requests.abandon(id));
      upstream.awaitReceived(1, request -> request.is(Received.ABANDON));
      int startTls = client.send(Requests.extended("1.3.6.1.4.1.1466.20037"));
      large.answer(part(entry, 0.5, 1));
      assertThat(client.await(startTls).get(0).resultCode()).isEqualTo(1);
      assertThat(client.take(id)).hasSize(1);
      client.startTls(certificates.clientContext());
      assertThat(client.code(find("other"))).isZero();
    }
  }

  private RunningProxy startingTls(Certificates.Pair server) {
    TlsConfig own = TlsConfig.DEFAULTS.identity(server.certificate(), server.key());
    return ProxySetup.before(upstream.port()).tls(own, "127.0.0.1:0").start();
  }

  @Test
  void aFinalResponseMayBeLarge() {
    RawRequest response = Responses.extendedValue("x".repeat(LARGE));
    Held extended = upstream.hold(request -> request.is(Received.EXTENDED));
    try (RunningProxy proxy = proxy();
        RawLdapClient client = proxy.client()) {
      int id = client.send(Requests.extended(EXTENSION));
      extended.answer(part(response, 0, 0.5));
      assertThat(client.take(id)).isEmpty();
      extended.answer(part(response, 0.5, 1));
      assertThat(client.await(id).get(0).body())
          .isEqualTo(RawMessage.parse(response.encode(1)).body());
      assertThat(client.code(find("next"))).isZero();
    }
  }

  @Test
  void aWriteWithALargeAnswerInvalidates() {
    RawRequest postRead =
        new RawRequest(Tlv.of(0x67, Tlv.hex("0a0100"), Tlv.hex("0400"), Tlv.hex("0400")))
            .with(new Control("1.3.6.1.1.13.2", false, new ASN1OctetString(noise(LARGE))));
    upstream.when(request -> request.is(Received.MODIFY), send(postRead));
    try (RunningProxy proxy = proxy();
        RawLdapClient client = proxy.client()) {
      client.call(find("kept"));
      RawRequest change = Requests.replace("cn=a," + People.SUFFIX, "sn", "b");
      assertThat(client.call(change).get(0).body())
          .isEqualTo(RawMessage.parse(postRead.encode(1)).body());
      client.call(find("kept"));
      assertThat(upstream.received(r -> r.isSearchFor("ou=kept"))).hasSize(2);
    }
  }

  @Test
  void aLargeBindResponseIsRefused() {
    byte[] diagnostic = Tlv.of(0x04, noise(LARGE));
    byte[] op = Tlv.of(0x61, Tlv.hex("0a0100"), Tlv.hex("0400"), diagnostic);
    upstream.when(request -> request.is(Received.BIND), send(new RawRequest(op)));
    try (RunningProxy proxy = proxy();
        RawLdapClient client = proxy.client()) {
      assertThat(client.code(Requests.bind(People.dn(1), People.PASSWORD))).isEqualTo(52);
    }
  }
}

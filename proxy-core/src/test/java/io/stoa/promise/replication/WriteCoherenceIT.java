// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.replication;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Held;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Received;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What was written is what is read, in every interleaving of a write with the searches around it.
 * The directory is scripted: each test says when which answer leaves it. Nothing grows too old
 * here, so whatever is asked again was dropped because of the write.
 */
class WriteCoherenceIT {
  private static final String ANNA = "uid=anna,ou=people,dc=example,dc=com";
  private static final RawRequest READ = search(ANNA).baseScope().request();
  private static final RawRequest CHANGE = Requests.replace(ANNA, "description", "new");
  private static final int OTHER = 80;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private ScriptedUpstream upstream;
  private RunningProxy proxy;
  private RawLdapClient reader;
  private RawLdapClient writer;

  @BeforeEach
  void start() {
    upstream = ScriptedUpstream.start();
    stateIs("old");
    startProxy(Duration.ofMinutes(2));
  }

  private void startProxy(Duration operationTimeout) {
    proxy =
        ProxySetup.before(upstream.port())
            .maxAge(Duration.ofHours(1))
            .operationTimeout(operationTimeout)
            .start();
    reader = proxy.client();
    writer = proxy.client();
  }

  /** For tests in which the directory does not answer. */
  private void giveUpSoon() {
    stopProxy();
    startProxy(Duration.ofSeconds(1));
  }

  @AfterEach
  void stop() {
    try {
      stopProxy();
    } finally {
      upstream.close();
    }
  }

  private void stopProxy() {
    reader.close();
    writer.close();
    proxy.close();
  }

  private static boolean isRead(Received request) {
    return request.isSearchFor(ANNA);
  }

  private static boolean isChange(Received request) {
    return request.is(Received.MODIFY);
  }

  private void stateIs(String description) {
    upstream.when(WriteCoherenceIT::isRead, Answers.entries(Answers.person("anna", description)));
  }

  private String read() {
    return description(reader.call(READ));
  }

  private static String description(List<RawMessage> answer) {
    return answer.get(0).mentions("old") ? "old" : answer.get(0).mentions("new") ? "new" : "?";
  }

  private int reads() {
    return upstream.received(WriteCoherenceIT::isRead).size();
  }

  /** The state has been read and is answered from memory (once the schema is known). */
  private void cached() {
    Await.until("a read is a hit", this::isHit);
  }

  private boolean isHit() {
    assertThat(read()).isEqualTo("old");
    int before = reads();
    assertThat(read()).isEqualTo("old");
    return reads() == before;
  }

  /** Every kind of request that may have changed something. */
  static Stream<RawRequest> writes() {
    return Stream.of(
        CHANGE,
        Requests.add(ANNA, "objectClass: person", "cn: x", "sn: x"),
        Requests.delete(ANNA),
        Requests.rename(ANNA, "uid=anne", true),
        Requests.rename("uid=anne,ou=people,dc=example,dc=com", "uid=anna", true),
        Requests.move("ou=people,dc=example,dc=com", "ou=people", "dc=example,dc=com"),
        Requests.delete("ou=people,dc=example,dc=com"),
        Requests.replace("UID=Anna, OU=People, DC=example, DC=com", "description", "new"),
        Requests.replace("cn=group,ou=groups,dc=example,dc=com", "member", ANNA),
        Requests.extended("1.3.6.1.4.1.4203.1.11.1", new byte[] {0x30, 0}),
        Requests.extended("1.2.3.4.5.6.7"));
  }

  @ParameterizedTest
  @MethodSource("writes")
  void aReadSeesTheWriteBeforeIt(RawRequest write) {
    cached();
    stateIs("new");
    assertThat(writer.code(write)).isZero();
    assertThat(read()).isEqualTo("new");
  }

  @Test
  void aCompareSeesTheWriteBeforeIt() {
    RawRequest compare = Requests.compare(ANNA, "description", "old");
    assertThat(reader.code(compare)).isEqualTo(6);
    upstream.when(r -> r.is(Received.COMPARE), Answers.result(5));
    assertThat(reader.code(compare)).as("a hit").isEqualTo(6);
    assertThat(writer.code(CHANGE)).isZero();
    assertThat(reader.code(compare)).isEqualTo(5);
  }

  @Test
  void anAddedEntryIsFoundThoughItsAbsenceWasCached() {
    upstream.when(WriteCoherenceIT::isRead, Answers.result(32));
    assertThat(reader.code(READ)).isEqualTo(32);
    assertThat(reader.code(READ)).isEqualTo(32);
    assertThat(reads()).isEqualTo(1);
    stateIs("new");
    assertThat(writer.code(Requests.add(ANNA, "objectClass: person", "cn: x", "sn: x"))).isZero();
    assertThat(read()).isEqualTo("new");
  }

  /** Its answer was made before the write and arrives after it. */
  @ParameterizedTest
  @MethodSource("writes")
  void aFillSentBeforeAWriteIsNotCached(RawRequest write) {
    Held fill = upstream.hold(WriteCoherenceIT::isRead);
    int first = reader.send(READ);
    fill.awaitArrival();
    stateIs("new");
    assertThat(writer.code(write)).isZero();
    fill.answer(Answers.entries(Answers.person("anna", "old")));
    reader.await(first);
    assertThat(read()).isEqualTo("new");
  }

  /** The search was sent when the write had been answered: it must not wait for the older fill. */
  @ParameterizedTest
  @MethodSource("writes")
  void aSearchAfterAWriteDoesNotJoinAnEarlierFill(RawRequest write) {
    Held fill = upstream.hold(WriteCoherenceIT::isRead);
    reader.send(1001, READ);
    fill.awaitArrival();
    stateIs("new");
    assertThat(writer.code(write)).isZero();
    assertThat(description(writer.call(READ))).isEqualTo("new");
    fill.answer(Answers.entries(Answers.person("anna", "old")));
    reader.await(1001);
    assertThat(read()).isEqualTo("new");
    assertThat(description(writer.call(READ))).isEqualTo("new");
  }

  /** What was read between the write's arrival at the directory and its answer may be either. */
  @Test
  void aFillThatEndsDuringAWriteIsNotCached() {
    Held write = upstream.hold(WriteCoherenceIT::isChange);
    int change = writer.send(CHANGE);
    write.awaitArrival();
    assertThat(read()).isEqualTo("old");
    stateIs("new");
    write.answer(Answers.success());
    writer.await(change);
    assertThat(read()).isEqualTo("new");
  }

  @Test
  void equalSearchesShareOneFillWithoutWrites() {
    Held fill = upstream.hold(WriteCoherenceIT::isRead);
    int first = reader.send(READ);
    fill.awaitArrival();
    int second = writer.send(READ);
    Await.until("the second has joined", () -> proxy.cache().joined() > 0);
    fill.answer(Answers.entries(Answers.person("anna", "old")));
    assertThat(description(reader.await(first))).isEqualTo("old");
    assertThat(description(writer.await(second))).isEqualTo("old");
    assertThat(reads()).isEqualTo(1);
  }

  @Test
  void anAbandonedWriteTakesEffectToo() {
    cached();
    Held write = upstream.hold(WriteCoherenceIT::isChange);
    int change = writer.send(CHANGE);
    write.awaitArrival();
    writer.send(Requests.abandon(change));
    finish(write);
    assertThat(writer.code(search("cn=other,dc=example,dc=com").request())).isZero();
    assertThat(writer.take(change)).as("answers to what was abandoned").isEmpty();
  }

  @Test
  void aWriteOfALostClientTakesEffectToo() {
    cached();
    Held write = upstream.hold(WriteCoherenceIT::isChange);
    writer.send(CHANGE);
    write.awaitArrival();
    writer.reset();
    finish(write);
  }

  @Test
  void aWriteOfAnUnboundClientTakesEffectToo() {
    cached();
    Held write = upstream.hold(WriteCoherenceIT::isChange);
    writer.sendOctets(CHANGE.encode(1));
    write.awaitArrival();
    writer.send(Requests.unbind());
    finish(write);
  }

  /** The directory carries out the write; nobody waits for its answer any more. */
  private void finish(Held write) {
    stateIs("new");
    write.answer(Answers.success());
    Await.until("the write has taken effect", () -> read().equals("new"));
  }

  /** A fill that was sent before an abandoned write was answered is not kept either. */
  @Test
  void aFillSentBeforeAnAbandonedWriteIsNotCached() {
    Held write = upstream.hold(WriteCoherenceIT::isChange);
    int change = writer.send(CHANGE);
    write.awaitArrival();
    Held fill = upstream.hold(WriteCoherenceIT::isRead);
    int first = reader.send(READ);
    fill.awaitArrival();
    writer.send(Requests.abandon(change));
    stateIs("new");
    write.answer(Answers.success());
    fill.answer(Answers.entries(Answers.person("anna", "old")));
    reader.await(first);
    Await.until("the write has taken effect", () -> read().equals("new"));
    assertThat(read()).isEqualTo("new");
  }

  @Test
  void aWriteWhoseConnectionBreaksCountsAsDone() {
    cached();
    upstream.when(WriteCoherenceIT::isChange, Answers.close());
    stateIs("new");
    assertThat(writer.code(CHANGE)).isEqualTo(OTHER);
    assertThat(upstream.received(WriteCoherenceIT::isChange))
        .as("a write is never sent twice")
        .hasSize(1);
    assertThat(read()).isEqualTo("new");
  }

  @Test
  void aWriteThatWasNeverAnsweredCountsAsDone() {
    giveUpSoon();
    cached();
    upstream.when(WriteCoherenceIT::isChange, Answers.silence());
    stateIs("new");
    assertThat(writer.code(CHANGE)).isEqualTo(OTHER);
    assertThat(read()).isEqualTo("new");
  }

  @Test
  void aFillSentBeforeAWriteOfUnknownOutcomeIsNotCached() {
    giveUpSoon();
    Held fill = upstream.hold(WriteCoherenceIT::isRead);
    int first = reader.send(READ);
    fill.awaitArrival();
    upstream.when(WriteCoherenceIT::isChange, Answers.silence());
    stateIs("new");
    assertThat(writer.patience(Duration.ofSeconds(10)).code(CHANGE)).isEqualTo(OTHER);
    reader.await(first);
    assertThat(read()).isEqualTo("new");
  }

  /** The write's client has its answer only when the caches know of the write. */
  @Test
  void noReadAfterAWriteResponseIsStale() {
    for (int i = 0; i < 500; i++) {
      String value = String.format(Locale.ROOT, "%04d", i);
      upstream.when(WriteCoherenceIT::isRead, Answers.entries(Answers.person("anna", value)));
      assertThat(writer.code(Requests.replace(ANNA, "description", value))).isZero();
      assertThat(reader.call(READ).get(0).mentions(value)).isTrue();
      assertThat(reader.call(READ).get(0).mentions(value)).isTrue();
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import static io.stoa.write.WriteBench.EVERY;
import static io.stoa.write.WriteBench.TIMEOUT;
import static io.stoa.write.WriteBench.dn;
import static io.stoa.write.WriteBench.window;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Entry;
import io.stoa.testing.ManualLoop;
import io.stoa.testing.RawRequest;
import io.stoa.testing.RecordedResponse;
import io.stoa.testing.Requests;
import io.stoa.testing.TestSession;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Reads of a session whose write of entry {@code a} waits for its window. */
class PendingWriteGateTest {
  private static final int MANY = 1_000;
  private static final int MAX_PARTS = 1_000;

  private final WriteBench bench = new WriteBench(window(MANY));
  private final TestSession client = bench.client("writer");

  PendingWriteGateTest() {
    bench.write(client, "a");
  }

  private static RawRequest compare(String entry) {
    return Requests.compare(dn(entry), "sn", "x");
  }

  private RecordedResponse search() {
    return client.send(Requests.search("dc=x").filter("(ou=x)").request(), bench.chain);
  }

  private void found(String name) {
    bench.upstream.entry(new Entry(dn(name)));
  }

  private void endWindow() {
    bench.close();
    bench.answer(0);
  }

  @Test
  void aReadOfTheWrittenEntryIsSentAfterTheWrite() {
    client.send(compare("a"), bench.chain);
    assertThat(bench.upstream.received()).isZero();
    endWindow();
    assertThat(bench.upstream.oldest().messageId()).isEqualTo(2);
    bench.answer(6);
    assertThat(client.ends()).containsExactly("1 0", "2 6");
  }

  @Test
  void aReadOfTheWrittenEntryWaitsAlsoWhileTheWriteIsInFlight() {
    bench.close();
    client.send(compare("a"), bench.chain);
    assertThat(bench.upstream.received()).isOne();
    bench.answer(0);
    assertThat(bench.upstream.received()).isEqualTo(2);
  }

  @Test
  void aReadOfAnotherEntryIsSentAtOnce() {
    client.send(compare("b"), bench.chain);
    assertThat(bench.upstream.received()).isOne();
  }

  @Test
  void aReadOfAnotherClientIsSentAtOnce() {
    bench.client("other").send(compare("a"), bench.chain);
    assertThat(bench.upstream.received()).isOne();
  }

  @Test
  void aReadOfAnotherConnectionOfTheIdentityWaits() {
    bench.client("writer").send(compare("a"), bench.chain);
    assertThat(bench.upstream.received()).isZero();
  }

  @Test
  void aWaitingReadDoesNotCloseTheWindow() {
    client.send(compare("a"), bench.chain);
    bench.loop.pass(EVERY.minusNanos(1));
    assertThat(bench.upstream.received()).isZero();
  }

  @Test
  void aSearchThatDoesNotShowTheWrittenEntryIsAnsweredAtOnce() {
    RecordedResponse response = search();
    found("b");
    bench.answer(0);
    assertThat(response.outcome()).isEqualTo("0");
    assertThat(response.parts()).isOne();
  }

  @Test
  void aSearchForTheWrittenAttributeIsSentAfterTheWrite() {
    client.send(Requests.search("dc=x").filter("(sn=x)").request(), bench.chain);
    assertThat(bench.upstream.received()).isZero();
  }

  @Test
  void anAnswerIsHeldUntilItsEnd() {
    RecordedResponse response = search();
    found("b");
    assertThat(response.parts()).isZero();
  }

  @Test
  void aSearchThatShowsTheWrittenEntryIsRepeatedAfterTheWrite() {
    RecordedResponse response = search();
    found("b");
    found("a");
    bench.answer(0);
    assertThat(client.ends()).isEmpty();
    endWindow();
    found("a");
    bench.answer(0);
    assertThat(response.outcome()).isEqualTo("0");
    assertThat(response.parts()).isOne();
  }

  @Test
  void anAnswerOfTheMaximumLengthIsHeld() {
    RecordedResponse response = search();
    for (int i = 0; i < MAX_PARTS; i++) {
      found("b");
    }
    bench.answer(0);
    assertThat(response.parts()).isEqualTo(MAX_PARTS);
  }

  @Test
  void anAnswerThatIsTooLongToBeHeldIsRepeatedAfterTheWrite() {
    RecordedResponse response = search();
    for (int i = 0; i <= MAX_PARTS; i++) {
      found("b");
    }
    bench.answer(0);
    assertThat(response.outcome()).isEqualTo(RecordedResponse.OPEN);
    endWindow();
    bench.answer(0);
    assertThat(response.outcome()).isEqualTo("0");
  }

  @Test
  void aWaitingReadIsRejectedAfterTheTimeOut() {
    bench.close();
    RecordedResponse read = client.send(compare("a"), bench.chain);
    bench.loop.pass(TIMEOUT.minusSeconds(1));
    assertThat(read.outcome()).isEqualTo(RecordedResponse.OPEN);
    bench.loop.pass(Duration.ofSeconds(1));
    assertThat(read.outcome()).isEqualTo("UPSTREAM_TIMEOUT");
  }

  @Test
  void aWaitingSearchIsRejectedAfterItsTimeLimit() {
    bench.close();
    RecordedResponse read =
        client.send(Requests.search(dn("a")).baseScope().timeLimit(3).request(), bench.chain);
    bench.loop.pass(Duration.ofSeconds(2));
    assertThat(read.outcome()).isEqualTo(RecordedResponse.OPEN);
    bench.loop.pass(Duration.ofSeconds(1));
    assertThat(read.outcome()).isEqualTo("TIME_LIMIT");
  }

  @Test
  void anAbandonedReadIsNotSentAfterTheWrite() {
    client.send(compare("a"), bench.chain);
    client.abandon(2);
    endWindow();
    assertThat(bench.upstream.received()).isOne();
    assertThat(client.ends()).containsExactly("2 abandoned", "1 0");
  }

  @Test
  void aReadIsSentAtOnceAfterTheWriteWasAbandoned() {
    client.abandon(1);
    client.send(compare("a"), bench.chain);
    assertThat(bench.upstream.received()).isOne();
  }

  @Test
  void aWaitingReadIsSentWhenTheWriteIsAbandoned() {
    client.send(compare("a"), bench.chain);
    client.abandon(1);
    bench.loop.run();
    assertThat(bench.upstream.received()).isOne();
  }

  @Test
  void aReadOnAnotherEventLoopIsSentAfterTheWrite() {
    ManualLoop second = new ManualLoop();
    TestSession other = new TestSession(second).named(dn("writer"));
    other.send(compare("a"), bench.chain(second));
    bench.close();
    second.run();
    bench.answer(0);
    second.run(); // takes part in the report
    bench.loop.run();
    second.run();
    assertThat(bench.upstream.received()).isEqualTo(2);
  }

  @Test
  void aReadWaitsForAllWritesOfItsSession() {
    TestSession other = bench.client("writer");
    bench.write(other, "a");
    client.send(compare("a"), bench.chain);
    client.abandon(1);
    bench.loop.run();
    assertThat(bench.upstream.received()).isZero();
    other.abandon(1);
    bench.loop.run();
    assertThat(bench.upstream.received()).isOne();
  }
}

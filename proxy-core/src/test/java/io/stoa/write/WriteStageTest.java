// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import static io.stoa.write.WriteBench.EVERY;
import static io.stoa.write.WriteBench.NAME;
import static io.stoa.write.WriteBench.TIMEOUT;
import static io.stoa.write.WriteBench.dn;
import static io.stoa.write.WriteBench.modify;
import static io.stoa.write.WriteBench.urgent;
import static io.stoa.write.WriteBench.window;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Control;
import io.stoa.ldap.protocol.Oids;
import io.stoa.operation.Rejection;
import io.stoa.operation.Restriction;
import io.stoa.testing.RawRequest;
import io.stoa.testing.RecordedResponse;
import io.stoa.testing.Requests;
import io.stoa.testing.TestSession;
import io.stoa.write.WindowConfig.Batch;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The writes that wait in a window, those that pass it, and the order of both. */
class WriteStageTest {
  private static final int MANY = 1_000;

  private WriteBench bench = new WriteBench(window(MANY));
  private TestSession client = bench.client("writer");

  private void use(WindowConfig... configs) {
    bench = new WriteBench(configs);
    client = bench.client("writer");
  }

  private boolean waits(RawRequest request) {
    client.send(request, bench.chain);
    return bench.status().waiting() == 1;
  }

  @Test
  void aReadPassesAWindow() {
    client.send(Requests.compare(dn("a"), "sn", "x"), bench.chain);
    assertThat(bench.upstream.received()).isOne();
  }

  @Test
  void aWriteWithoutAWindowIsSentAtOnceAndReportedBeforeItsResult() {
    use();
    bench.changes.hold();
    bench.write(client, "a");
    bench.answer(0);
    assertThat(client.ends()).isEmpty();
    bench.changes.apply();
    assertThat(client.ends()).containsExactly("1 0");
  }

  @Test
  void writesOfOneEntryAreSequentialWithoutAWindow() {
    use();
    bench.write(client, "a");
    bench.write(client, "a");
    assertThat(bench.upstream.received()).isOne();
    bench.answer(0);
    assertThat(bench.upstream.received()).isEqualTo(2);
  }

  @Test
  void writesOfOneEntryAreSequentialInABurst() {
    bench.write(client, "a");
    bench.write(client, "a");
    bench.close();
    assertThat(bench.upstream.received()).isOne();
    bench.answer(0);
    assertThat(bench.upstream.received()).isEqualTo(2);
  }

  @Test
  void writesOfTwoClientsToOneEntryAreSentTogether() {
    bench.write(client, "a");
    bench.write(bench.client("other"), "a");
    bench.close();
    assertThat(bench.upstream.received()).isEqualTo(2);
  }

  @Test
  void aRenameFollowsAllEarlierWritesOfItsClient() {
    bench.write(client, "a");
    client.send(Requests.rename(dn("b"), "cn=c", true), bench.chain);
    bench.close();
    assertThat(bench.upstream.received()).isOne();
    bench.answer(0);
    assertThat(bench.upstream.received()).isEqualTo(2);
  }

  @Test
  void aRefusedWriteReleasesTheNextOneOfItsEntry() {
    bench.write(client, "a");
    bench.write(client, "a");
    bench.close();
    bench.answer(32);
    bench.answer(0);
    assertThat(client.ends()).containsExactly("1 32", "2 0");
  }

  @Test
  void anUrgentWritePassesTheWindow() {
    bench.write(client, "a");
    client.send(urgent("b"), bench.chain);
    assertThat(bench.upstream.received()).isOne();
    assertThat(bench.status().waiting()).isOne();
  }

  @Test
  void anUrgentWriteOfAWaitingEntryClosesTheWindowAndFollows() {
    bench.write(client, "a");
    client.send(urgent("a"), bench.chain);
    bench.loop.run();
    assertThat(bench.upstream.received()).isOne();
    bench.answer(0);
    assertThat(bench.upstream.received()).isEqualTo(2);
    bench.answer(0);
    assertThat(client.ends()).containsExactly("1 0", "2 0");
  }

  @Test
  void anAbandonedDirectWriteReleasesTheNextOneOfItsEntry() {
    use();
    bench.write(client, "a");
    bench.write(client, "a");
    bench.write(client, "a");
    client.abandon(2);
    bench.answer(0);
    assertThat(bench.upstream.received()).isEqualTo(2);
  }

  @Test
  void aSentWriteThatIsAbandonedHoldsTheNextOneUntilItsResult() {
    use();
    bench.write(client, "a");
    bench.write(client, "a");
    client.abandon(1);
    assertThat(bench.upstream.received()).isOne();
    bench.answer(0);
    assertThat(bench.upstream.received()).isEqualTo(2);
  }

  @Test
  void aSentWriteThatIsAbandonedHoldsTheNextOneForTwiceTheTimeOutAtMost() {
    use();
    bench.write(client, "a");
    bench.write(client, "a");
    client.abandon(1);
    Duration longest = TIMEOUT.multipliedBy(2);
    bench.loop.pass(longest.minusNanos(1));
    assertThat(client.ends()).containsExactly("1 abandoned");
    bench.loop.pass(Duration.ofNanos(1));
    assertThat(client.ends()).containsExactly("1 abandoned", "2 UPSTREAM_TIMEOUT");
  }

  @Test
  void aWriteWhoseTurnComesAfterItsTimeOutIsNotSent() {
    use();
    bench.write(client, "a");
    bench.write(client, "a");
    bench.loop.pass(TIMEOUT.plusSeconds(1));
    bench.answer(0);
    assertThat(client.ends()).containsExactly("1 0", "2 UPSTREAM_TIMEOUT");
    assertThat(bench.upstream.received()).isOne();
  }

  @Test
  void aLostDirectWriteHasAnUnknownOutcome() {
    use();
    bench.write(client, "a");
    bench.upstream.lose(Rejection.UPSTREAM_TIMEOUT);
    assertThat(client.ends()).containsExactly("1 OUTCOME_UNKNOWN_TIMEOUT");
    assertThat(bench.changes.unknown).hasSize(1);
  }

  @Test
  void aDirectWriteThatWasNeverSentHasAKnownOutcome() {
    use();
    bench.upstream.stop();
    bench.write(client, "a");
    assertThat(client.ends()).containsExactly("1 NO_UPSTREAM");
    assertThat(bench.changes.unknown).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "32, true",
    "50, true",
    "68, true",
    "0, false",
    "10, false",
    "51, false",
    "52, false",
    "80, false"
  })
  void onlyCertainRefusalsAreReportedAsRefused(int code, boolean refused) {
    use();
    bench.write(client, "a");
    bench.answer(code);
    assertThat(bench.changes.reports.get(0).get(0).refused()).isEqualTo(refused);
  }

  @ParameterizedTest
  @ValueSource(strings = {Oids.ASSERTION, Oids.PRE_READ, Oids.MANAGE_DSA_IT, Oids.PROXIED_AUTHZ_V2})
  void aWriteWithAControlThatDelayDoesNotHarmWaits(String oid) {
    assertThat(waits(modify("a").with(new Control(oid, true)))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {Oids.TXN_SPEC, Oids.WRITE_NOW, "1.2.3.4"})
  void aWriteWithAnyOtherCriticalControlPasses(String oid) {
    assertThat(waits(modify("a").with(new Control(oid, true)))).isFalse();
  }

  @Test
  void aWriteOfASessionWithStateOnItsConnectionPasses() {
    client.restrict(Restriction.EXCLUSIVE);
    assertThat(waits(modify("a"))).isFalse();
  }

  @Test
  void aWriteOfASessionWithItsOwnConnectionWaits() {
    client.restrict(Restriction.DEDICATED_CONNECTION);
    assertThat(waits(modify("a"))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"userPassword", "USERPASSWORD;x-a", "2.5.4.35", "unicodePwd"})
  void aChangeOfAPasswordPasses(String attribute) {
    assertThat(waits(Requests.replace(dn("a"), attribute, "x"))).isFalse();
  }

  @Test
  void aChangeOfAPasswordWaitsIfSoConfigured() {
    use(new WindowConfig(NAME, null, null, EVERY, MANY, Batch.SINGLE, true));
    assertThat(waits(Requests.replace(dn("a"), "userPassword", "x"))).isTrue();
  }

  @Test
  void anUnknownExtendedOperationPasses() {
    RecordedResponse response = client.send(Requests.extended("1.2.3.4"), bench.chain);
    bench.answer(0);
    assertThat(response.outcome()).isEqualTo("0");
    assertThat(bench.changes.reports).hasSize(1);
  }

  @Test
  void anUnknownExtendedOperationFollowsTheWaitingWritesOfItsClient() {
    bench.write(client, "a");
    client.send(Requests.extended("1.2.3.4"), bench.chain);
    bench.loop.run();
    assertThat(bench.upstream.received()).isOne();
    assertThat(bench.upstream.oldest().messageId()).isOne();
    bench.answer(0);
    assertThat(bench.upstream.oldest().messageId()).isEqualTo(2);
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import static io.stoa.write.WriteBench.dn;
import static io.stoa.write.WriteBench.modify;
import static io.stoa.write.WriteBench.transactions;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Control;
import io.stoa.ldap.protocol.Oids;
import io.stoa.operation.OwnChange;
import io.stoa.operation.Rejection;
import io.stoa.testing.Received;
import io.stoa.testing.Responses;
import io.stoa.testing.TestSession;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Writes of one identity that a window sends in a transaction (RFC 5805). */
class TransactionsTest {
  private static final String START = "start";
  private static final String END = "end";
  private static final String WRITE = "write";
  private static final int MAX = 512;
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private final WriteBench bench = new WriteBench(transactions());
  private final List<TestSession> clients = new ArrayList<>();
  private final TestSession client = bind("writer");

  private TestSession bind(String name) {
    TestSession session = new TestSession(bench.loop).bind(dn(name), "secret");
    clients.add(session);
    return session;
  }

  /** Ends all transactions, which hold copies of passwords. */
  @AfterEach
  void wipePasswords() {
    while (!bench.upstream.open().isEmpty()) {
      bench.answerAll();
    }
    clients.forEach(TestSession::leave);
  }

  private void write(TestSession session, int count) {
    for (int i = 0; i < count; i++) {
      bench.write(session, "e" + i);
    }
  }

  /** Returns the kinds of the requests that the server has not answered. */
  private List<String> sent() {
    return bench.upstream.open().stream().map(TransactionsTest::kind).toList();
  }

  private static String kind(byte[] op) {
    if ((op[0] & 0xff) != Received.EXTENDED) {
      return WRITE;
    }
    String text = new String(op, StandardCharsets.ISO_8859_1);
    return text.contains(Oids.TXN_START) ? START : END;
  }

  private void begin() {
    bench.upstream.answer(op -> kind(op).equals(START), Responses.extendedValue("t1"));
    bench.loop.run();
  }

  private void answer(int count) {
    for (int i = 0; i < count; i++) {
      bench.answer(0);
    }
  }

  @Test
  void theWindowStaysOpenDuringATransaction() {
    write(client, 2);
    bench.close();
    begin();
    bench.write(client, "x");
    bench.write(client, "y");
    bench.close();
    assertThat(sent()).containsExactly(WRITE, WRITE);
    answer(2);
    assertThat(sent()).containsExactly(END);
    answer(1);
    assertThat(sent()).containsExactly(START);
  }

  @Test
  void writesOfOneIdentityShareATransaction() {
    write(client, 2);
    bench.close();
    assertThat(sent()).containsExactly(START);
    begin();
    assertThat(sent()).containsExactly(WRITE, WRITE);
    answer(2);
    assertThat(sent()).containsExactly(END);
    assertThat(client.ends()).isEmpty();
    answer(1);
    assertThat(client.ends()).containsExactly("1 0", "2 0");
    assertThat(bench.status().transactional()).isEqualTo(2);
  }

  @Test
  void writesOfTwoConnectionsOfOneIdentityShareATransaction() {
    write(client, 1);
    bench.write(bind("writer"), "other");
    bench.close();
    assertThat(sent()).containsExactly(START);
  }

  @Test
  void everyWriteOfATransactionNamesIt() {
    write(client, 2);
    bench.close();
    begin();
    assertThat(bench.upstream.oldest().message().hasControl(Oids.TXN_SPEC.getBytes(UTF_8)))
        .isTrue();
  }

  @Test
  void aSingleWriteNeedsNoTransaction() {
    write(client, 1);
    bench.close();
    assertThat(sent()).containsExactly(WRITE);
  }

  @Test
  void writesOfTwoIdentitiesShareNoTransaction() {
    write(client, 1);
    bench.write(bind("other"), "other");
    bench.close();
    assertThat(sent()).containsExactly(WRITE, WRITE);
  }

  @Test
  void writesWithoutAPasswordAreSentSingly() {
    write(bench.client("without"), 2);
    bench.close();
    assertThat(sent()).containsExactly(WRITE, WRITE);
  }

  @Test
  void aWriteWithAControlIsSentSingly() {
    write(client, 2);
    client.send(modify("c").with(new Control(Oids.MANAGE_DSA_IT, true)), bench.chain);
    bench.close();
    assertThat(sent()).containsExactlyInAnyOrder(START, WRITE);
  }

  @Test
  void aSecondWriteOfOneEntryFollowsTheTransaction() {
    write(client, 2);
    bench.write(client, "e0");
    bench.close();
    assertThat(sent()).containsExactly(START);
    begin();
    answer(3);
    assertThat(sent()).containsExactly(WRITE);
  }

  @Test
  void aTransactionHasAMaximumOfWrites() {
    write(client, MAX + 1);
    bench.close();
    assertThat(sent()).containsExactly(WRITE, START);
    bench.answer(0);
    begin();
    assertThat(sent()).hasSize(MAX);
  }

  @Test
  void aRefusedWriteEndsTheTransactionAndEachWriteHasItsOwnResult() {
    write(client, 2);
    bench.close();
    begin();
    bench.answer(50);
    bench.answer(0);
    assertThat(sent()).containsExactly(END);
    bench.answer(0);
    assertThat(sent()).containsExactly(WRITE, WRITE);
    bench.answer(50);
    bench.answer(0);
    assertThat(client.ends()).containsExactly("1 50", "2 0");
    assertThat(bench.status().aborted()).isOne();
  }

  /** OpenLDAP may have announced the change, so that the caches must read the entry again. */
  @Test
  void aRefusedWriteOfAFailedTransactionIsReportedLikeAChange() {
    write(client, 2);
    bench.close();
    begin();
    bench.answer(50);
    bench.answer(0);
    bench.answer(0);
    bench.answer(50);
    bench.answer(0);
    assertThat(bench.changes.reports.get(0)).hasSize(2).noneMatch(OwnChange::refused);
  }

  @Test
  void aTransactionAfterAFailedOneHasHalfAsManyWrites() {
    write(client, 8);
    bench.close();
    begin();
    bench.answer(50);
    answer(7 + 1);
    answer(8);
    write(client, 8);
    bench.close();
    assertThat(sent()).filteredOn(WRITE::equals).hasSize(4);
    assertThat(sent()).contains(START);
  }

  @Test
  void aDirectoryWithoutTransactionsGetsSingleWritesForAMinute() {
    write(client, 2);
    bench.close();
    bench.answer(2);
    assertThat(sent()).containsExactly(WRITE, WRITE);
    answer(2);
    write(client, 2);
    bench.close();
    assertThat(sent()).containsExactly(WRITE, WRITE);
  }

  @Test
  void aCommitThatTheDirectoryRefusesIsRepeatedAsSingleWrites() {
    write(client, 2);
    bench.close();
    begin();
    answer(2);
    bench.answer(80);
    assertThat(sent()).containsExactly(WRITE, WRITE);
  }

  @Test
  void aTransactionLostBeforeItsEndIsRepeatedAsSingleWrites() {
    write(client, 2);
    bench.close();
    begin();
    bench.upstream.lose(Rejection.UPSTREAM_LOST);
    bench.upstream.lose(Rejection.UPSTREAM_LOST);
    bench.loop.run();
    assertThat(sent()).containsExactly(WRITE, WRITE);
    assertThat(bench.changes.unknown).isEmpty();
  }

  @Test
  void aTransactionLostAtItsEndHasAnUnknownOutcome() {
    write(client, 2);
    bench.close();
    begin();
    answer(2);
    bench.upstream.lose(Rejection.UPSTREAM_LOST);
    bench.loop.run();
    assertThat(client.ends()).containsExactly("1 OUTCOME_UNKNOWN_LOST", "2 OUTCOME_UNKNOWN_LOST");
    assertThat(bench.changes.unknown).hasSize(2);
  }

  @Test
  void aTransactionThatNeverReachedTheDirectoryIsRejectedAsUnsent() {
    bench.upstream.stop();
    write(client, 2);
    bench.close();
    assertThat(client.ends()).containsExactly("1 NO_UPSTREAM", "2 NO_UPSTREAM");
    assertThat(bench.changes.unknown).isEmpty();
  }

  @Test
  void transactionsOfTwoIdentitiesAreSequential() {
    write(client, 2);
    write(bind("other"), 2);
    bench.close();
    assertThat(sent()).containsExactly(START);
    begin();
    answer(3);
    assertThat(sent()).containsExactly(START);
  }

  @Test
  void writesThatWaitForAnotherTransactionAreSentSinglyAfterTheirPatience() {
    write(client, 2);
    write(bind("other"), 2);
    bench.close();
    bench.loop.pass(PATIENCE.minusNanos(1));
    assertThat(sent()).containsExactly(START);
    bench.loop.pass(Duration.ofNanos(1));
    assertThat(sent()).containsExactly(START, WRITE, WRITE);
  }

  @Test
  void aWriteAbandonedBeforeTheTransactionBeginsIsNotPartOfIt() {
    write(client, 2);
    TestSession other = bind("other");
    write(other, 3);
    bench.close();
    other.abandon(1);
    begin();
    answer(3);
    begin();
    assertThat(sent()).containsExactly(WRITE, WRITE);
  }

  @Test
  void aWriteAbandonedWithinATransactionIsPerformed() {
    write(client, 2);
    bench.close();
    begin();
    client.abandon(1);
    answer(3);
    assertThat(client.ends()).containsExactly("1 abandoned", "2 0");
    assertThat(bench.changes.reports.get(0)).hasSize(2);
  }

  @Test
  void aWriteAbandonedWithinAFailedTransactionIsNotRepeated() {
    write(client, 2);
    bench.close();
    begin();
    client.abandon(1);
    bench.answer(50);
    bench.answer(0);
    bench.answer(0);
    assertThat(sent()).containsExactly(WRITE);
  }
}

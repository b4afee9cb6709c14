// SPDX-License-Identifier: Apache-2.0
package io.stoa.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.ProtocolError;
import io.stoa.operation.Rejection;
import io.stoa.operation.event.ClientTimeout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OperationCountersTest {
  private final OperationCounters counters = new OperationCounters();

  @Test
  void eachKindOfOperationHasItsOwnCounters() {
    long number = 0;
    for (OperationKind kind : OperationKind.values()) {
      number++;
      for (int i = 0; i < number; i++) {
        counters.received(kind.request());
      }
      counters.completed(kind.request());
      assertThat(counters.received(kind)).as("%s", kind).isEqualTo(number);
      assertThat(counters.completed(kind)).as("%s", kind).isOne();
    }
    assertThat(counters.received(OperationKind.BIND)).isOne();
  }

  @Test
  void everyRequestOfTheProtocolHasAKind() {
    for (OpType type : OpType.values()) {
      if (type.isRequest()) {
        assertThat(OperationKind.values()).extracting(OperationKind::request).contains(type);
      }
    }
  }

  @Test
  void eachRejectionReasonHasItsOwnCounter() {
    counters.rejected(OpType.SEARCH_REQUEST, Rejection.NO_UPSTREAM);
    counters.rejected(OpType.BIND_REQUEST, Rejection.NO_UPSTREAM);
    counters.protocolError(ProtocolError.MALFORMED_REQUEST);
    counters.timedOut(ClientTimeout.IDLE);
    assertThat(counters.rejected(Rejection.NO_UPSTREAM)).isEqualTo(2);
    assertThat(counters.rejected(Rejection.QUEUE_FULL)).isZero();
    assertThat(counters.protocolErrors(ProtocolError.MALFORMED_REQUEST)).isOne();
    assertThat(counters.protocolErrors(ProtocolError.BAD_ENVELOPE)).isZero();
    assertThat(counters.timeouts(ClientTimeout.IDLE)).isOne();
    assertThat(counters.timeouts(ClientTimeout.WRITE)).isZero();
  }

  /** Unbind and Abandon have no answer, and what is abandoned gets none. */
  @Test
  void eachMessageIsCountedOnce() {
    for (OperationKind kind : OperationKind.values()) {
      counters.completed(kind.request());
    }
    assertThat(counters.messagesSent()).isEqualTo(8);
    counters.unanswered();
    counters.entriesSent(2);
    counters.referencesSent(1);
    counters.otherSent();
    assertThat(counters.messagesSent()).isEqualTo(11);
  }

  @Test
  void referralsAndCompareResultsAreNoFailures() {
    for (int code : new int[] {0, 5, 6, 10, 14}) {
      counters.failed(OpType.BIND_REQUEST, code);
    }
    assertThat(counters.failures().all()).isZero();
    assertThat(counters.failures().referrals()).isOne();
    counters.failed(OpType.SEARCH_REQUEST, 32);
    counters.failed(OpType.SEARCH_REQUEST, 50);
    counters.failed(OpType.BIND_REQUEST, 49);
    assertThat(counters.failures().all()).isEqualTo(3);
    assertThat(counters.failures().security()).isEqualTo(2);
    assertThat(counters.failures().securityOfBinds()).isOne();
  }

  @Test
  void searchesAreCountedByScope() {
    for (int scope = -1; scope < 4; scope++) {
      counters.searchReceived(scope);
    }
    assertThat(counters.oneLevelSearches()).isOne();
    assertThat(counters.subtreeSearches()).isOne();
  }

  @Test
  void sentOctetsAndEntriesAreAddedUp() {
    counters.connectionOpened();
    counters.connectionRefused();
    counters.entriesSent(3);
    counters.entriesSent(4);
    counters.referencesSent(2);
    counters.octetsSent(1L << 40);
    counters.ownSearch();
    counters.malformedSearch();
    assertThat(counters.connectionsOpened()).isOne();
    assertThat(counters.connectionsRefused()).isOne();
    assertThat(counters.entriesSent()).isEqualTo(7);
    assertThat(counters.referencesSent()).isEqualTo(2);
    assertThat(counters.octetsSent()).isEqualTo(1L << 40);
    assertThat(counters.ownSearches()).isOne();
    assertThat(counters.malformedSearches()).isOne();
  }

  @Test
  void nothingIsLostBetweenThreads() throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      threads.add(new Thread(this::countManySearches));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(counters.received(OperationKind.SEARCH)).isEqualTo(80_000);
  }

  private void countManySearches() {
    for (int i = 0; i < 10_000; i++) {
      counters.received(OpType.SEARCH_REQUEST);
    }
  }
}

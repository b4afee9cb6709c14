// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.protocol.ProtocolError;
import io.stoa.metrics.OperationKind;
import io.stoa.operation.event.ClientEvent;
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
        counters.received().increment(kind.request());
      }
      counters.completed().increment(kind.request());
      assertThat(counters.received().get(kind.request())).as("%s", kind).isEqualTo(number);
      assertThat(counters.completed().get(kind.request())).as("%s", kind).isOne();
    }
    assertThat(counters.received().get(OperationKind.BIND.request())).isOne();
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
    counters.countRejection(OpType.SEARCH_REQUEST, Rejection.NO_UPSTREAM);
    counters.countRejection(OpType.BIND_REQUEST, Rejection.NO_UPSTREAM);
    counters.protocolErrors().increment(ProtocolError.MALFORMED_REQUEST);
    counters.timeouts().increment(ClientTimeout.IDLE);
    assertThat(counters.rejections().get(Rejection.NO_UPSTREAM)).isEqualTo(2);
    assertThat(counters.rejections().get(Rejection.QUEUE_FULL)).isZero();
    assertThat(counters.protocolErrors().get(ProtocolError.MALFORMED_REQUEST)).isOne();
    assertThat(counters.protocolErrors().get(ProtocolError.BAD_ENVELOPE)).isZero();
    assertThat(counters.timeouts().get(ClientTimeout.IDLE)).isOne();
    assertThat(counters.timeouts().get(ClientTimeout.WRITE)).isZero();
  }

  /** Unbind and Abandon have no answer, and what is abandoned gets none. */
  @Test
  void eachMessageIsCountedOnce() {
    for (OperationKind kind : OperationKind.values()) {
      counters.completed().increment(kind.request());
    }
    assertThat(counters.messagesSent()).isEqualTo(8);
    counters.events().increment(ClientEvent.UNANSWERED);
    counters.events().add(ClientEvent.ENTRY_SENT, 2);
    counters.events().increment(ClientEvent.REFERENCE_SENT);
    counters.events().increment(ClientEvent.OTHER_SENT);
    assertThat(counters.messagesSent()).isEqualTo(11);
  }

  @Test
  void referralsAndCompareResultsAreNoFailures() {
    for (int code : new int[] {0, 5, 6, 10, 14}) {
      counters.countFailure(OpType.BIND_REQUEST, code);
    }
    assertThat(counters.events().get(ClientEvent.FAILURE)).isZero();
    assertThat(counters.events().get(ClientEvent.REFERRAL)).isOne();
    counters.countFailure(OpType.SEARCH_REQUEST, 32);
    counters.countFailure(OpType.SEARCH_REQUEST, 50);
    counters.countFailure(OpType.BIND_REQUEST, 49);
    assertThat(counters.events().get(ClientEvent.FAILURE)).isEqualTo(3);
    assertThat(counters.events().get(ClientEvent.SECURITY_FAILURE)).isEqualTo(2);
    assertThat(counters.events().get(ClientEvent.SECURITY_FAILURE_OF_BIND)).isOne();
  }

  @Test
  void searchesAreCountedByScope() {
    for (int scope = -1; scope < 4; scope++) {
      counters.countSearch(scope);
    }
    assertThat(counters.events().get(ClientEvent.ONE_LEVEL_SEARCH)).isOne();
    assertThat(counters.events().get(ClientEvent.SUBTREE_SEARCH)).isOne();
  }

  @Test
  void sentOctetsAndEntriesAreAddedUp() {
    counters.events().increment(ClientEvent.CONNECTION_OPENED);
    counters.events().increment(ClientEvent.CONNECTION_REFUSED);
    counters.events().add(ClientEvent.ENTRY_SENT, 3);
    counters.events().add(ClientEvent.ENTRY_SENT, 4);
    counters.events().add(ClientEvent.REFERENCE_SENT, 2);
    counters.events().add(ClientEvent.OCTET_SENT, 1L << 40);
    counters.events().increment(ClientEvent.OWN_SEARCH);
    counters.events().increment(ClientEvent.MALFORMED_SEARCH);
    assertThat(counters.events().get(ClientEvent.CONNECTION_OPENED)).isOne();
    assertThat(counters.events().get(ClientEvent.CONNECTION_REFUSED)).isOne();
    assertThat(counters.events().get(ClientEvent.ENTRY_SENT)).isEqualTo(7);
    assertThat(counters.events().get(ClientEvent.REFERENCE_SENT)).isEqualTo(2);
    assertThat(counters.events().get(ClientEvent.OCTET_SENT)).isEqualTo(1L << 40);
    assertThat(counters.events().get(ClientEvent.OWN_SEARCH)).isOne();
    assertThat(counters.events().get(ClientEvent.MALFORMED_SEARCH)).isOne();
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
    assertThat(counters.received().get(OperationKind.SEARCH.request())).isEqualTo(80_000);
  }

  private void countManySearches() {
    for (int i = 0; i < 10_000; i++) {
      counters.received().increment(OpType.SEARCH_REQUEST);
    }
  }
}

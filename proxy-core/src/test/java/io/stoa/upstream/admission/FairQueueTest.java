// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.ImmediateEventExecutor;
import io.stoa.ldap.protocol.DecodeLimits;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.operation.ClientSession;
import io.stoa.operation.InternalSearch;
import io.stoa.operation.InternalSession;
import io.stoa.operation.Operation;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FairQueueTest {
  private static final long HOUR = TimeUnit.HOURS.toNanos(1);

  private final QueueBound bound = new QueueBound(() -> 4);
  private final FairQueue queue = new FairQueue(bound);

  private static InternalSession session() {
    return new InternalSession(ImmediateEventExecutor.INSTANCE);
  }

  private static Operation operation(InternalSession session) {
    return InternalSearch.of(
        session,
        new RequestDecoder(() -> DecodeLimits.DEFAULTS),
        InternalSearch.SearchParameters.entry(new byte[0], List.of()),
        found -> {});
  }

  @Test
  void clientsTakeTurns() {
    InternalSession greedy = session();
    InternalSession modest = session();
    queue.add(operation(greedy), 0);
    queue.add(operation(greedy), 0);
    queue.add(operation(modest), 0);
    List<ClientSession> order = queue.drain().stream().map(Operation::session).toList();
    assertThat(order).containsExactly(greedy, modest, greedy);
    assertThat(bound.waiting()).isZero();
  }

  @Test
  void theLimitHoldsAcrossQueues() {
    FairQueue other = new FairQueue(bound);
    InternalSession session = session();
    for (int i = 0; i < 2; i++) {
      assertThat(queue.add(operation(session), 0)).isTrue();
      assertThat(other.add(operation(session), 0)).isTrue();
    }
    assertThat(queue.add(operation(session), 0)).isFalse();
    assertThat(other.poll()).isNotNull();
    assertThat(queue.add(operation(session), 0)).isTrue();
    assertThat(queue.size()).isEqualTo(3);
  }

  @Test
  void endedOperationsAreSkipped() {
    Operation abandoned = operation(session());
    Operation wanted = operation(session());
    queue.add(abandoned, 0);
    queue.add(wanted, 0);
    abandoned.abandon();
    assertThat(queue.poll()).isSameAs(wanted);
    assertThat(queue.poll()).isNull();
    assertThat(bound.waiting()).isZero();
  }

  @Test
  void operationsBeyondTheQueueTimeAreRefused() {
    long now = System.nanoTime();
    Operation early = operation(session());
    Operation late = operation(session());
    queue.add(early, now);
    queue.add(late, now + 50);
    queue.expire(now + 100, 60, Long.MAX_VALUE);
    assertThat(early.hasEnded()).isTrue();
    assertThat(queue.poll()).isSameAs(late);
    assertThat(queue.isEmpty()).isTrue();
    assertThat(bound.waiting()).isZero();
  }

  @Test
  void aRequeuedOperationKeepsItsWaitingTime() {
    long now = System.nanoTime();
    Operation again = operation(session());
    queue.add(again, now - 2 * HOUR);
    assertThat(queue.poll()).isSameAs(again);
    queue.add(again, now);
    queue.expire(now, HOUR, Long.MAX_VALUE);
    assertThat(again.hasEnded()).isTrue();
    assertThat(bound.waiting()).isZero();
  }

  @Test
  void queueTimeCountsTowardsTheOperationTimeout() {
    InternalSession session = session();
    Operation first = operation(session);
    long now = System.nanoTime() + 2 * HOUR;
    queue.add(first, now);
    queue.expire(now, HOUR, 3 * HOUR);
    assertThat(first.hasEnded()).isFalse();
    queue.expire(now, HOUR, HOUR);
    assertThat(first.hasEnded()).isTrue();
    assertThat(queue.isEmpty()).isTrue();
  }
}

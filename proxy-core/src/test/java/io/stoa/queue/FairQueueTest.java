// SPDX-License-Identifier: Apache-2.0
package io.stoa.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.ImmediateEventExecutor;
import io.stoa.ldap.DecodeLimits;
import io.stoa.ldap.RequestDecoder;
import io.stoa.operation.ClientSession;
import io.stoa.operation.InternalSearch;
import io.stoa.operation.InternalSession;
import io.stoa.operation.Operation;
import java.util.List;
import org.junit.jupiter.api.Test;

class FairQueueTest {
  private final QueueBound bound = new QueueBound(4);
  private final FairQueue queue = new FairQueue(bound);

  private static InternalSession session() {
    return new InternalSession(ImmediateEventExecutor.INSTANCE);
  }

  private static Operation operation(InternalSession session) {
    return InternalSearch.read(
        session, new RequestDecoder(DecodeLimits.DEFAULTS), new byte[0], List.of(), entry -> {});
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
  void isBoundedOverAllQueues() {
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
  void whatHasEndedIsPassedOver() {
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
  void whatHasWaitedTooLongIsTaken() {
    Operation early = operation(session());
    Operation late = operation(session());
    queue.add(early, 0);
    queue.add(late, 50);
    assertThat(queue.expired(100, 60)).containsExactly(early);
    assertThat(queue.poll()).isSameAs(late);
    assertThat(queue.isEmpty()).isTrue();
  }
}

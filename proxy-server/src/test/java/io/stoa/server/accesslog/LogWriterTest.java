// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.accesslog;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.OpType;
import io.stoa.net.peer.Peer;
import io.stoa.operation.CompletedOperation;
import io.stoa.operation.CompletedOperation.Times;
import io.stoa.operation.OperationCounters;
import io.stoa.operation.OperationTrace;
import io.stoa.operation.event.LogKind;
import io.stoa.testing.Await;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Each event is written or counted as dropped, whatever the destination does. */
class LogWriterTest {
  private static final int LARGE = 20 << 20;

  private final OperationCounters counters = new OperationCounters();
  private final StalledDestination destination = new StalledDestination();
  private final LogWriter writer =
      new LogWriter(
          LogKind.ACCESS,
          new JsonFormat(new ValueText(ValueMode.FULL, Set.of())),
          destination,
          counters);

  /** Counts lines, and stalls in its first write until it is resumed. Thread-safe. */
  private static final class StalledDestination implements LogDestination {
    private final CountDownLatch stalled = new CountDownLatch(1);
    private final CountDownLatch resumed = new CountDownLatch(1);
    private final AtomicInteger lines = new AtomicInteger();

    @Override
    public void write(byte[] octets, int length) {
      stalled.countDown();
      try {
        resumed.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      lines.addAndGet((int) new String(octets, 0, length, US_ASCII).lines().count());
    }

    @Override
    public String toString() {
      return "the test";
    }

    @Override
    public void close() {
      // holds nothing
    }
  }

  private static CompletedOperation operation(int length) {
    Times now = new Times(0, 0, 0);
    OpType modify = OpType.MODIFY_REQUEST;
    OperationTrace trace = new OperationTrace();
    return new CompletedOperation(
        1, Peer.UNKNOWN, Octets.EMPTY, modify, 1, length, null, null, null, 0, now, trace, 0);
  }

  private void stall() throws InterruptedException {
    writer.offer(operation(100));
    destination.stalled.await();
  }

  private long dropped() {
    return counters.logDrops().get(LogKind.ACCESS);
  }

  @Test
  void aRequestBeyondTheLimitIsLoggedIfNoOtherLargeOneWaits() throws Exception {
    stall();
    writer.offer(operation(LARGE));
    assertThat(dropped()).isZero();
    writer.offer(operation(LARGE));
    writer.offer(operation(1_000));
    writer.offer(operation(100));
    assertThat(dropped()).isEqualTo(2);
    destination.resumed.countDown();
    Await.until("three lines", () -> destination.lines.get() == 3);
    writer.offer(operation(LARGE));
    Await.until("one more", () -> destination.lines.get() == 4);
    writer.close();
    assertThat(dropped()).isEqualTo(2);
  }

  @Test
  void aCloseDropsWhatAStalledDestinationDoesNotTake() throws Exception {
    stall();
    for (int i = 0; i < 1_000; i++) {
      writer.offer(operation(100));
    }
    writer.close();
    assertThat(writer.isOpen()).isTrue();
    destination.resumed.countDown();
    Await.until("the thread ends", () -> !writer.isOpen());
    writer.offer(operation(100));
    assertThat(destination.lines.get() + dropped()).isEqualTo(1_002);
    assertThat(counters.logged().get(LogKind.ACCESS)).isEqualTo(destination.lines.get());
  }

  @Test
  void manyEventsAreWrittenWithoutADrop() throws Exception {
    destination.resumed.countDown();
    int events = 100_000;
    for (int i = 0; i < events; i++) {
      writer.offer(operation(100));
      if (i % 4_000 == 0) {
        int written = i;
        Await.until("the queue is short", () -> destination.lines.get() > written - 8_000);
      }
    }
    writer.close();
    assertThat(destination.lines.get()).isEqualTo(events);
    assertThat(dropped()).isZero();
  }
}

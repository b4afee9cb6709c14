// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.localtree;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.DefaultEventExecutor;
import io.stoa.ldap.protocol.DecodeLimits;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.RequestDecoder;
import io.stoa.ldap.protocol.Response;
import io.stoa.operation.InternalSession;
import io.stoa.operation.InternalSink;
import io.stoa.operation.Operation;
import io.stoa.operation.Rejection;
import io.stoa.testing.Await;
import io.stoa.testing.Requests;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AnswerQueueTest {
  private static final Duration EVER = Duration.ofMinutes(10);

  private final DefaultEventExecutor loop = new DefaultEventExecutor();
  private final InternalSession session = new InternalSession(loop);
  private final List<Integer> codes = new CopyOnWriteArrayList<>();
  private final List<String> found = new CopyOnWriteArrayList<>();
  private AnswerQueue queue = new AnswerQueue(EVER);

  @AfterEach
  void end() {
    queue.close();
    loop.shutdownGracefully(0, 0, java.util.concurrent.TimeUnit.SECONDS).awaitUninterruptibly();
  }

  @Test
  void answersAreComputedInOrder() {
    for (int i = 0; i < 50; i++) {
      String name = Integer.toString(i);
      take(operation(0), () -> found.add(name));
    }
    Await.until("all are answered", () -> codes.size() == 50);
    assertThat(codes).containsOnly(0);
    assertThat(found.stream().map(Integer::valueOf)).isSorted();
  }

  @Test
  void aSlowAnswerEndsAtTheTimeLimit() {
    queue = new AnswerQueue(Duration.ofMillis(50));
    CountDownLatch never = new CountDownLatch(1);
    take(operation(0), () -> await(never));
    Await.until("it is answered", () -> codes.equals(List.of(11)));
    take(operation(0), () -> found.add("next"));
    Await.until("the next is found", () -> codes.equals(List.of(11, 0)));
    never.countDown();
  }

  @Test
  void theTimeLimitOfTheRequestTakesPrecedence() {
    CountDownLatch never = new CountDownLatch(1);
    take(operation(1), () -> await(never));
    Await.until("it is answered", () -> codes.equals(List.of(3)));
    never.countDown();
  }

  /** Nothing is asked for an answer that nobody waits for any more. */
  @Test
  void abandonedAnswersAreNotComputed() {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch abandoned = new CountDownLatch(1);
    CountDownLatch stopped = new CountDownLatch(1);
    Operation first = operation(0);
    Operation second = operation(0);
    loop.execute(
        () ->
            queue.submit(
                first,
                () -> CompletableFuture.completedFuture(""),
                (none, wanted) -> {
                  begun.countDown();
                  await(abandoned);
                  try {
                    wanted.check();
                  } catch (CancellationException e) {
                    stopped.countDown();
                    throw e;
                  }
                  return () -> complete(first);
                }));
    take(second, () -> found.add("second"));
    take(operation(0), () -> found.add("third"));
    await(begun);
    loop.execute(second::abandon);
    loop.submit(first::abandon).awaitUninterruptibly();
    abandoned.countDown();
    await(stopped);
    Await.until("the third is answered", () -> codes.equals(List.of(0)));
    assertThat(found).containsExactly("third");
  }

  @Test
  void aFailedAnswerIsReported() {
    take(
        operation(0),
        () -> {
          throw new IllegalStateException("a defect of the test");
        });
    take(operation(0), () -> found.add("next"));
    Await.until("both are answered", () -> codes.equals(List.of(80, 0)));
  }

  @Test
  void requestsBeyondTheQueueLimitAreRefused() {
    CountDownLatch never = new CountDownLatch(1);
    for (int i = 0; i < 200; i++) {
      take(operation(0), () -> await(never));
    }
    Await.until("some are refused", () -> codes.size() == 200 - 128);
    assertThat(codes).containsOnly(51);
    never.countDown();
    Await.until("all others are answered", () -> codes.size() == 200);
    assertThat(codes.stream().filter(code -> code == 0)).hasSize(128);
  }

  private void take(Operation operation, Runnable find) {
    loop.execute(
        () ->
            queue.submit(
                operation,
                () -> CompletableFuture.completedFuture(""),
                (none, wanted) -> {
                  find.run();
                  return () -> complete(operation);
                }));
  }

  private static void complete(Operation operation) {
    operation.sink().complete(LdapResult.encode(operation.type().response(), 0, ""));
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }

  private Operation operation(int timeLimit) {
    byte[] op = Requests.search("cn=x").timeLimit(timeLimit).request().op();
    Operation operation =
        new Operation(
            session,
            LdapMessage.of(1, op, List.of()),
            new RequestDecoder(() -> DecodeLimits.DEFAULTS),
            System.nanoTime(),
            Codes::new);
    operation.request();
    return operation;
  }

  /** Notes the result code. */
  private final class Codes extends InternalSink {
    Codes(Operation operation) {
      super(operation);
    }

    @Override
    public void complete(Response response) {
      if (end()) {
        codes.add(LdapResult.quickCodeOf(response));
      }
    }

    @Override
    public void reject(Rejection reason) {
      // Not used here.
    }

    @Override
    public void onAbandoned() {
      // Nothing is to be noted.
    }
  }
}

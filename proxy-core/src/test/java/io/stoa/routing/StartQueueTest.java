// SPDX-License-Identifier: Apache-2.0
package io.stoa.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.RawRequest;
import io.stoa.testing.RecordedResponse;
import io.stoa.testing.Requests;
import io.stoa.testing.UpstreamBench;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests that arrive before the first health checks of two servers have ended. */
class StartQueueTest {
  private static final int PRIMARY = 1;
  private static final int REPLICA = 2;
  private static final Duration PAUSE = Duration.ofMillis(10);
  private static final RawRequest SEARCH = Requests.search("dc=x").request();
  private static final RawRequest WRITE = Requests.delete("dc=x");

  private final RoutingBench bench =
      new RoutingBench(UpstreamBench.unchecked(UpstreamBench.defaults(2)), Duration.ZERO);

  @AfterEach
  void close() {
    bench.close();
  }

  private void up(int server) {
    bench.upstream.up(server);
    bench.upstream.loop().pass(PAUSE);
  }

  private void down(int server) {
    bench.upstream.down(server);
    bench.upstream.loop().pass(PAUSE);
  }

  @Test
  void aReadWaitsUntilAServerIsUp() {
    bench.send(SEARCH);
    bench.upstream.loop().pass(PAUSE);
    assertThat(bench.pending()).isZero();
    up(REPLICA);
    assertThat(bench.busy()).isEqualTo(REPLICA);
  }

  @Test
  void aWriteWaitsForThePrimary() {
    bench.send(WRITE);
    up(REPLICA);
    assertThat(bench.pending()).isZero();
    up(PRIMARY);
    assertThat(bench.busy()).isEqualTo(PRIMARY);
  }

  @Test
  void aReadBehindAWaitingWriteOfItsClientWaitsToo() {
    bench.send(WRITE);
    bench.send(SEARCH);
    up(REPLICA);
    assertThat(bench.pending()).isZero();
    up(PRIMARY);
    assertThat(bench.pending()).isEqualTo(2);
  }

  @Test
  void aReadThatArrivesBehindAWaitingWriteOfItsClientWaitsToo() {
    up(REPLICA);
    bench.send(WRITE);
    bench.send(SEARCH);
    assertThat(bench.pending()).isZero();
    up(PRIMARY);
    assertThat(bench.pending()).isEqualTo(2);
  }

  @Test
  void aReadBehindAWaitingWriteOfAnotherClientIsSent() {
    bench.send(WRITE);
    bench.upstream.client().send(SEARCH, bench.stage);
    up(REPLICA);
    assertThat(bench.busy()).isEqualTo(REPLICA);
  }

  @Test
  void aRequestIsRejectedWhenAllServersAreDown() {
    RecordedResponse response = bench.send(SEARCH);
    down(PRIMARY);
    assertThat(response.outcome()).isEqualTo(RecordedResponse.OPEN);
    down(REPLICA);
    assertThat(response.outcome()).isEqualTo("NO_UPSTREAM");
  }

  @Test
  void aRequestIsRejectedAfterTheTimeOutOfTheQueue() {
    RecordedResponse response = bench.send(SEARCH);
    bench.queueTimeout = Duration.ofNanos(1);
    bench.upstream.loop().pass(PAUSE);
    assertThat(response.outcome()).isEqualTo("NO_UPSTREAM");
  }

  @Test
  void anAbandonedRequestIsNotSent() {
    bench.send(SEARCH);
    bench.client().abandon(1);
    up(PRIMARY);
    assertThat(bench.pending()).isZero();
    assertThat(bench.upstream.bound().waiting()).isZero();
  }

  @Test
  void waitingRequestsCountAgainstTheBoundOfAllQueues() {
    bench.send(SEARCH);
    assertThat(bench.upstream.bound().waiting()).isOne();
    up(PRIMARY);
    assertThat(bench.upstream.bound().waiting()).isZero();
  }

  @Test
  void noRequestWaitsAfterTheFirstChecks() {
    up(PRIMARY);
    down(REPLICA);
    bench.send(SEARCH);
    down(PRIMARY);
    RecordedResponse response = bench.send(SEARCH);
    assertThat(response.outcome()).isEqualTo("NO_UPSTREAM");
  }
}

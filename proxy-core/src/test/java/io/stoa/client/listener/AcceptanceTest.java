// SPDX-License-Identifier: Apache-2.0
package io.stoa.client.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.embedded.EmbeddedChannel;
import io.stoa.testing.ManualLoop;
import io.stoa.testing.MemoryChannel;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How fast a listener accepts connections. */
class AcceptanceTest {
  private static final int MOST_PENDING = 8;
  private static final long PAUSE_MILLIS = 100;

  private final ManualLoop loop = new ManualLoop();
  private final Acceptance acceptance = new Acceptance();
  private final EmbeddedChannel listener = new EmbeddedChannel(acceptance);

  @AfterEach
  void close() {
    listener.finishAndReleaseAll();
  }

  private boolean isAccepting() {
    return listener.config().isAutoRead();
  }

  private MemoryChannel connection() {
    MemoryChannel client = new MemoryChannel(loop);
    loop.executor().register(client);
    return client;
  }

  private void accept(int count) {
    for (int i = 0; i < count; i++) {
      listener.writeInbound(connection());
    }
  }

  @Test
  void connectionsBelowTheMaximumOfPendingOnesDoNotPauseTheListener() {
    accept(MOST_PENDING - 1);
    assertThat(isAccepting()).isTrue();
  }

  @Test
  void theMaximumOfPendingConnectionsPausesTheListenerUntilOneIsAdmitted() {
    accept(MOST_PENDING);
    assertThat(isAccepting()).isFalse();
    loop.run();
    assertThat(isAccepting()).isTrue();
  }

  @Test
  void aConnectionThatIsRefusedAtOnceIsNotPending() {
    accept(MOST_PENDING - 1);
    MemoryChannel refused = connection();
    refused.unsafe().close(refused.voidPromise());
    listener.writeInbound(refused);
    assertThat(isAccepting()).isTrue();
  }

  @Test
  void eachConnectionIsCountedAndPassedOn() {
    accept(3);
    assertThat(acceptance.accepted()).isEqualTo(3);
    assertThat(listener.inboundMessages()).hasSize(3);
  }

  @Test
  void aLackOfOpenFilesPausesTheListener() {
    listener.freezeTime();
    listener.pipeline().fireExceptionCaught(new IOException("Too many open files"));
    assertThat(isAccepting()).isFalse();
    pass(PAUSE_MILLIS - 1);
    assertThat(isAccepting()).isFalse();
    pass(1);
    assertThat(isAccepting()).isTrue();
  }

  private void pass(long millis) {
    listener.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
    listener.runScheduledPendingTasks();
  }

  @Test
  void anInternalErrorDoesNotPauseTheListener() {
    listener.pipeline().fireExceptionCaught(new IllegalStateException("a defect"));
    assertThat(isAccepting()).isTrue();
    assertThatThrownBy(listener::checkException).hasMessage("a defect");
  }
}

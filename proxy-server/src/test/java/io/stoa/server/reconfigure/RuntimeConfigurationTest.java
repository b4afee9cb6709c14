// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.reconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RuntimeConfigurationTest {
  @Test
  void changesInTheQueueAreRefusedAtTheEnd(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("stoa.yaml"), "upstream: {servers: [ldap://a]}\n");
    RuntimeConfiguration configuration = RuntimeConfiguration.of(file);
    List<String> events = new CopyOnWriteArrayList<>();
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch mayEnd = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    Runnable first =
        () -> {
          started.countDown();
          await(mayEnd);
          events.add("first made");
          ended.countDown();
        };
    configuration.submit(first, () -> events.add("first refused"));
    await(started);
    configuration.submit(() -> events.add("second made"), () -> events.add("second refused"));
    configuration.close();
    assertThat(events).containsExactly("second refused");
    assertThat(configuration.submit(() -> {}, () -> {})).isFalse();
    mayEnd.countDown();
    await(ended);
    assertThat(events).containsExactly("second refused", "first made");
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}

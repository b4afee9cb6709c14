// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Await;
import java.net.Socket;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What is told of it, and what becomes of the sockets; SdkLinkTest tells who is freed by that. */
class DeadlineTest {
  @Test
  void socketsFromBeforeAndAfterTheDeadlineAreClosed() throws Exception {
    try (Deadline deadline = new Deadline(Duration.ofMillis(1));
        Socket before = new Socket();
        Socket after = new Socket()) {
      deadline.watch(before);
      Await.until("it is over", before::isClosed);
      assertThat(deadline.explain("another reason")).contains("within 1 ms");
      deadline.watch(after);
      Await.until("so is what comes later", after::isClosed);
    }
  }

  @Test
  void noSocketIsClosedBeforeTheDeadline() throws Exception {
    try (Deadline deadline = new Deadline(Duration.ofMinutes(1));
        Socket socket = new Socket()) {
      deadline.watch(socket);
      assertThat(deadline.explain("another reason")).isEqualTo("another reason");
      assertThat(deadline.last()).isSameAs(socket);
      assertThat(socket.isClosed()).isFalse();
    }
  }
}

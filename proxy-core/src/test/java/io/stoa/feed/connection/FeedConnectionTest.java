// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.connection;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import io.stoa.ldap.protocol.LdapMessage;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Whatever ends the thread that reads a feed is heard: else the feed would seem to be there. */
class FeedConnectionTest {
  /** That a search is done. */
  private static final byte[] DONE = HexFormat.of().parseHex("300c02010165070a010004000400");

  private final CompletableFuture<String> lost = new CompletableFuture<>();
  private Socket socket;
  private Socket server;

  @BeforeEach
  void connect() throws IOException {
    try (ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      socket = new Socket(listener.getInetAddress(), listener.getLocalPort());
      server = listener.accept();
    }
  }

  @AfterEach
  void close() throws IOException {
    socket.close();
    server.close();
  }

  private String lossReason(RuntimeException defect) throws Exception {
    Deadline deadline = new Deadline(Duration.ofMinutes(1));
    deadline.watch(socket);
    new FeedConnection(new LDAPConnection(), deadline, 1_000)
        .listen(
            "test-feed",
            "dc=test",
            new FeedConnection.Receiver() {
              @Override
              public void onMessage(LdapMessage message) {
                message.release();
                if (defect != null) {
                  throw defect;
                }
              }

              @Override
              public void onLost(String why) {
                lost.complete(why);
              }
            });
    server.getOutputStream().write(DONE);
    server.shutdownOutput();
    return lost.get(30, TimeUnit.SECONDS);
  }

  @Test
  void theEndOfTheConnectionIsReported() throws Exception {
    assertThat(lossReason(null)).isEqualTo("the server closed the connection");
  }

  @Test
  void aDefectOfTheReaderIsReported() throws Exception {
    assertThat(lossReason(new IllegalStateException("no"))).contains("internal error");
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.DefaultEventExecutor;
import io.stoa.feed.connection.FeedConnection;
import io.stoa.feed.connection.FeedCredentials;
import io.stoa.feed.connection.FeedServer;
import io.stoa.feed.connection.SdkLink;
import io.stoa.ldap.protocol.LdapMessage;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.Received;
import io.stoa.testing.ScriptedUpstream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Whether the server of a feed still answers. */
class HeartbeatTest {
  private static final Duration PATIENCE = Duration.ofMillis(50);

  /** Another request: to delete the root. */
  private static final byte[] LATER = HexFormat.of().parseHex("4a00");

  @TempDir Path files;
  @RegisterExtension final ScriptedUpstream server = ScriptedUpstream.start();
  private final DefaultEventExecutor own = new DefaultEventExecutor();
  private final Queue<String> failed = new ConcurrentLinkedQueue<>();
  private FeedConnection connection;
  private Heartbeat heartbeat;

  private static boolean isHeartbeat(Received request) {
    return request.isSearchFor("dc=x");
  }

  @BeforeEach
  void connect() throws Exception {
    Path password = Files.writeString(files.resolve("password"), "secret");
    FeedCredentials account = new FeedCredentials("cn=feed,dc=x", password);
    connection =
        new SdkLink(account, Duration.ofSeconds(30), 1_000_000)
            .openForFeed(FeedServer.tcp("server", "127.0.0.1", server.port(), null));
    heartbeat = new Heartbeat(connection, "dc=x", 1, told -> {});
  }

  @AfterEach
  void close() {
    connection.close();
    own.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  private void sendHeartbeat() {
    own.submit(() -> heartbeat.send(own, PATIENCE, failed::add)).syncUninterruptibly();
  }

  private void awaitFailures(int count) {
    Await.until(count + " failures", () -> failed.size() == count);
  }

  /** Else what a server that hangs is sent would fill the way to it, and block who asks. */
  @Test
  void aSilentServerGetsOneHeartbeat() throws IOException {
    server.when(HeartbeatTest::isHeartbeat, Answers.silence());
    sendHeartbeat();
    sendHeartbeat();
    sendHeartbeat();
    awaitFailures(3);
    connection.send(LdapMessage.of(99, LATER, List.of()));
    Await.until("all was read", () -> !server.received(one -> one.is(Received.DELETE)).isEmpty());
    assertThat(server.received(HeartbeatTest::isHeartbeat)).hasSize(1);
  }

  /** Of the first nobody may have taken notice, since it was held up itself. */
  @Test
  void aSilentServerFailsAgainAfterEachTimeout() {
    server.when(HeartbeatTest::isHeartbeat, Answers.silence());
    sendHeartbeat();
    awaitFailures(1);
    sendHeartbeat();
    awaitFailures(2);
  }
}

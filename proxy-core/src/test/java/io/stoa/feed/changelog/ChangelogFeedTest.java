// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.changelog;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.feed.connection.FeedCredentials;
import io.stoa.feed.connection.FeedServer;
import io.stoa.feed.syncrepl.FeedStats;
import io.stoa.feed.syncrepl.FeedSupervisor;
import io.stoa.feed.syncrepl.SyncContext;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Image;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.testing.Await;
import io.stoa.testing.DeafSink;
import io.stoa.testing.ExpectedLog;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Whatever happens, a changelog is tried again, and whoever asks is told. */
class ChangelogFeedTest {
  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  /** As if nothing were known of attributes. */
  private static final class Rules implements SyncContext.Rules {
    @Override
    public NormalDn name(byte[] dn) {
      return NormalDn.of(dn, ServerProfile.EXACT);
    }

    @Override
    public Image image(SearchEntry entry) {
      return Image.of(entry, true, ServerProfile.EXACT);
    }
  }

  private static ChangelogFeed feed(Supplier<List<FeedServer>> servers) {
    FeedSupervisor.Config terms =
        new FeedSupervisor.Config(
            "dc=x",
            new FeedCredentials("cn=feed", Path.of("none")),
            Duration.ofSeconds(1),
            Duration.ofSeconds(60),
            Duration.ofMinutes(1),
            1_000,
            new FeedStats.Bounds(Duration.ofSeconds(1), Duration.ofSeconds(5)));
    SyncContext sync = new SyncContext("dc=x", 10, type -> false, new Rules(), System::nanoTime);
    return new ChangelogFeed(terms, sync, servers, new DeafSink());
  }

  @Test
  void retriesAfterAnInternalError() {
    AtomicInteger asked = new AtomicInteger();
    Supplier<List<FeedServer>> servers =
        () -> {
          if (asked.incrementAndGet() < 3) {
            throw new IllegalStateException("not now");
          }
          return List.of();
        };
    try (ChangelogFeed feed = feed(servers)) {
      feed.start();
      Await.until("it is tried", () -> feed.status().why().equals("no server is available"));
      assertThat(asked).hasValueGreaterThanOrEqualTo(3);
    }
    assertThat(log.warningsOf("FeedStats")).hasSize(1);
  }

  /** Else nobody would ask again for twice the bound. */
  @Test
  void aRequestWithoutAServerIsAnswered() throws Exception {
    try (ChangelogFeed feed = feed(List::of)) {
      CompletableFuture<Position> told = new CompletableFuture<>();
      feed.requestPosition(told::complete);
      assertThat(told.get(10, TimeUnit.SECONDS)).isEqualTo(Position.NONE);
    }
    assertThat(log.warnings()).isEmpty();
  }

  /** A server that is silent holds up the thread of the feed, and who asks goes on to ask. */
  @Test
  void aRequestBeyondTheLimitIsAnsweredAtOnce() throws Exception {
    CountDownLatch silent = new CountDownLatch(1);
    try (ChangelogFeed feed = feed(() -> waiting(silent))) {
      feed.start();
      List<CompletableFuture<Position>> told = new ArrayList<>();
      for (int i = 0; i <= PendingPolls.MAX_PENDING; i++) {
        CompletableFuture<Position> one = new CompletableFuture<>();
        feed.requestPosition(one::complete);
        told.add(one);
      }
      assertThat(told.get(PendingPolls.MAX_PENDING)).isCompletedWithValue(Position.NONE);
      assertThat(told.subList(0, PendingPolls.MAX_PENDING)).noneMatch(CompletableFuture::isDone);
      silent.countDown();
      for (CompletableFuture<Position> one : told) {
        assertThat(one.get(10, TimeUnit.SECONDS)).isEqualTo(Position.NONE);
      }
    } finally {
      silent.countDown();
    }
  }

  private static List<FeedServer> waiting(CountDownLatch silent) {
    try {
      silent.await();
      return List.of();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.syncrepl;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.Entry;
import io.stoa.feed.connection.FeedCredentials;
import io.stoa.feed.connection.FeedServer;
import io.stoa.feed.connection.SdkLink;
import io.stoa.feed.event.PrivilegedReader.ReadFailure;
import io.stoa.feed.event.PrivilegedReader.Search;
import io.stoa.testing.Answers;
import io.stoa.testing.Await;
import io.stoa.testing.Received;
import io.stoa.testing.Responses;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.UpstreamLink;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** How much is asked as the account of a feed at once. */
class SdkReaderIT {
  private static final String ENTRY = "cn=x,dc=x";
  private static final int MANY = 1000;

  @RegisterExtension final ScriptedUpstream upstream = ScriptedUpstream.start();

  private final Queue<Runnable> unanswered = new ConcurrentLinkedQueue<>();
  private final AtomicInteger max = new AtomicInteger();
  private final AtomicInteger sent = new AtomicInteger();
  private final AtomicInteger found = new AtomicInteger();
  private final Queue<ReadFailure> failed = new ConcurrentLinkedQueue<>();
  private @TempDir Path files;
  private SdkReader reader;

  @BeforeEach
  void begin() {
    upstream.when(request -> request.isSearchFor(ENTRY), this::keep);
  }

  @AfterEach
  void close() {
    reader.close();
  }

  private void keep(Received request, UpstreamLink link) {
    unanswered.add(
        () -> {
          link.send(request.messageId(), Responses.entry(new Entry(ENTRY)));
          Answers.success().to(request, link);
        });
    max.accumulateAndGet(unanswered.size(), Math::max);
    sent.incrementAndGet();
  }

  private void answerOne() {
    Runnable answer = unanswered.poll();
    if (answer != null) {
      answer.run();
    }
  }

  private void search(Duration patience) throws IOException {
    Path password = Files.writeString(files.resolve("password"), "secret");
    FeedCredentials account = new FeedCredentials("cn=feed,dc=x", password);
    reader =
        new SdkReader(
            new SdkLink(account, patience, 1_000_000),
            new EntryConverter(type -> false),
            "test-reader");
    reader.useServer(FeedServer.tcp("upstream", "127.0.0.1", upstream.port(), null));
    searchMore();
  }

  private void searchMore() {
    byte[] any = "(objectClass=*)".getBytes(StandardCharsets.UTF_8);
    byte[] base = ENTRY.getBytes(StandardCharsets.UTF_8);
    for (int number = 0; number < MANY; number++) {
      reader.search(
          new Search(base, 0, any, List.of("*")),
          entries -> found.addAndGet(entries.size()),
          failed::add);
    }
  }

  /** A slapd ends the connection of who has too much under way. */
  @Test
  void searchesInFlightAreLimitedAndOthersFollow() throws Exception {
    search(Duration.ofMinutes(1));
    Await.until("as many as may be", () -> unanswered.size() == SdkReader.MAX_IN_FLIGHT);
    Await.until(
        "all are answered",
        () -> {
          answerOne();
          return found.get() == MANY;
        });
    assertThat(max.get()).isEqualTo(SdkReader.MAX_IN_FLIGHT);
    assertThat(failed).isEmpty();
    assertThat(upstream.acceptedConnections()).isEqualTo(1);
  }

  /** Those that wait for their turn, too: they have one deadline from the beginning. */
  @Test
  void searchesAtASilentServerFailInTime() throws Exception {
    search(Duration.ofSeconds(1));
    Await.until("all have failed", () -> failed.size() == MANY);
    assertThat(found).hasValue(0);
    assertThat(sent.get()).isLessThan(MANY);
    unanswered.clear();
    searchMore();
    Await.until(
        "there is room again",
        () -> {
          answerOne();
          return found.get() > 0;
        });
  }

  @Test
  void aFailureCarriesTheResultCode() throws Exception {
    upstream.when(request -> request.isSearchFor(ENTRY), Answers.result(50));
    search(Duration.ofMinutes(1));
    Await.until("all have failed", () -> failed.size() == MANY);
    assertThat(failed)
        .allMatch(failure -> failure.resultCode() == 50)
        .allMatch(failure -> failure.text().contains("insufficient"));
    failed.clear();
    reader.close();
    searchMore();
    Await.until("all have failed", () -> failed.size() == MANY);
    assertThat(failed).allMatch(failure -> failure.resultCode() == ReadFailure.NO_RESULT);
  }

  @Test
  void allSearchesFailWithTheConnection() throws Exception {
    search(Duration.ofMinutes(1));
    Await.until("as many as may be", () -> unanswered.size() == SdkReader.MAX_IN_FLIGHT);
    reader.close();
    Await.until("all have failed", () -> failed.size() == MANY);
    assertThat(found).hasValue(0);
  }
}

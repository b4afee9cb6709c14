// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.load;

import static io.stoa.testing.RawLdapClient.last;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.server.StoaProcess;
import io.stoa.testing.Await;
import io.stoa.testing.Parallel;
import io.stoa.testing.People;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawMessage;
import io.stoa.testing.Requests;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Stoa is killed while writes wait for a window, or are on their way: none of them was answered.
 */
class WindowCrashIT {
  private static final int WRITERS = 16;
  private static final int ANSWERED = 200;
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final String WINDOW =
      """
      upstream:
        servers: ['%s']
      management: {listen: none}
      writes:
        windows:
          - {name: all, every: 100ms, maxOperations: 1000}
      """;

  /** What each has written and been told so, and what it has written last. */
  private final Map<Integer, Integer> acknowledged = new ConcurrentHashMap<>();

  private final Map<Integer, Integer> sent = new ConcurrentHashMap<>();
  private final AtomicInteger answered = new AtomicInteger();

  @Test
  void noAcknowledgedWriteIsLost() {
    try (Slapd slapd = Slapd.start(People.slapd(WRITERS))) {
      StoaProcess stoa = StoaProcess.configured(WINDOW.formatted(slapd.url()));
      CompletableFuture<Void> load =
          CompletableFuture.runAsync(
              () -> Parallel.run(WRITERS, PATIENCE, person -> write(stoa, person)));
      try {
        Await.until("they write", () -> answered.get() >= ANSWERED);
      } finally {
        stoa.close(); // as by kill -9
      }
      load.join();
      try (RawLdapClient direct =
          RawLdapClient.connect(slapd.address()).bind(People.ROOT, SlapdConfig.ROOT_PASSWORD)) {
        acknowledged.forEach(
            (person, number) ->
                assertThat(found(direct, person)).isBetween(number, sent.get(person)));
      }
    }
  }

  /** Until the connection ends. */
  private void write(StoaProcess stoa, int person) {
    try (RawLdapClient client = stoa.client().bind(People.ROOT, SlapdConfig.ROOT_PASSWORD)) {
      for (int number = 1; ; number++) {
        sent.put(person, number);
        int id = client.send(Requests.replace(People.dn(person), "title", "t" + number));
        assertThat(last(client.await(id)).resultCode()).isZero();
        acknowledged.put(person, number);
        answered.incrementAndGet();
      }
    } catch (AssertionError | RuntimeException ended) {
      assertThat(answered.get()).as("answers before %s", ended).isGreaterThanOrEqualTo(ANSWERED);
    }
  }

  private static int found(RawLdapClient directory, int person) {
    List<RawMessage> answer =
        directory.call(
            Requests.search(People.dn(person)).baseScope().attributes("title").request());
    String title =
        answer
            .get(0)
            .decoded()
            .getSearchResultEntryProtocolOp()
            .getAttributes()
            .get(0)
            .getValues()[0];
    return Integer.parseInt(title.substring(1));
  }
}

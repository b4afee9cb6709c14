// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.server.StoaProcess;
import io.stoa.testing.Await;
import io.stoa.testing.Leftovers;
import io.stoa.testing.People;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.Slapd;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Bounds the system calls for input and output that the event loops make for a hit: a wait, a read
 * and a write. strace counts them.
 *
 * <p>The bounds are these three calls and 10 %, for timers of the loops.
 */
class SystemCallsIT {
  private static final int ROUNDS = 500;
  private static final int TOGETHER = 32;
  private static final double MIN_CALLS = 2.9;
  private static final double MAX_CALLS = 3.3;

  @Test
  void aHitTakesThreeSystemCallsAndManyTogetherTakeNoMore() {
    Path traces = Leftovers.directory("system-calls");
    try (Slapd slapd = Slapd.start(People.slapd(TOGETHER, "password"));
        StoaProcess stoa = StoaProcess.traced(traces, slapd);
        RawLdapClient client = stoa.client()) {
      SystemCalls calls = new SystemCalls(stoa.pid(), traces);
      assertThat(calls.ofRounds(() -> search(client, 1))).as("one").isBetween(MIN_CALLS, MAX_CALLS);
      assertThat(calls.ofRounds(() -> search(client, TOGETHER)))
          .as("%d together", TOGETHER)
          .isBetween(MIN_CALLS, MAX_CALLS);
    } finally {
      Leftovers.delete(traces);
    }
  }

  private static void search(RawLdapClient client, int together) {
    RawRequest[] requests =
        IntStream.range(0, together)
            .mapToObj(number -> Requests.search(People.dn(number)).request())
            .toArray(RawRequest[]::new);
    int first = client.sendTogether(requests);
    IntStream.range(first, first + together).forEach(client::await);
  }

  /** System calls of the event loops of a traced process. strace has a file for each thread. */
  private record SystemCalls(long pid, Path traces) {

    /** Returns the calls for each round of a workload that is in memory after its first round. */
    double ofRounds(Runnable round) {
      round.run();
      round.run();
      long before = count();
      for (int i = 0; i < ROUNDS; i++) {
        round.run();
      }
      // strace writes a call after it has returned, and a loop waits at once again
      Await.until("the calls are written", () -> count() >= before + 3L * ROUNDS - 1);
      return (double) (count() - before) / ROUNDS;
    }

    private long count() {
      return loops().stream().mapToLong(this::lines).sum();
    }

    private List<String> loops() {
      try (Stream<Path> threads = Files.list(Path.of("/proc/" + pid + "/task"))) {
        return threads
            .filter(thread -> read(thread.resolve("comm")).startsWith("stoa-loop"))
            .map(thread -> thread.getFileName().toString())
            .toList();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private long lines(String thread) {
      return read(traces.resolve("calls." + thread)).lines().count();
    }

    private static String read(Path file) {
      try {
        return Files.readString(file);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}

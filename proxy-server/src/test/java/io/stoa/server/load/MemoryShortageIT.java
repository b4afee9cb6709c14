// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.server.StoaProcess;
import io.stoa.server.load.Download.Refused;
import io.stoa.server.load.Download.Result;
import io.stoa.testing.Await;
import io.stoa.testing.Parallel;
import io.stoa.testing.Slapd;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** When memory runs out connections end, each with one line in the log, and nothing else. */
@Tag("alone")
class MemoryShortageIT {
  private static final List<String> HARDLY_ANY_MEMORY =
      List.of("-Xmx256m", "-XX:MaxDirectMemorySize=6m", "-Dio.netty.allocator.type=pooled");

  private static final int UNAVAILABLE = 52;
  private static final int CLIENTS = 24;
  private static final int MEGABYTES = 12;
  private static final long OCTETS_PER_SECOND = 4_000_000;
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @Test
  void someConnectionsEndAndTheOthersGetWholeAnswers() throws Exception {
    try (Slapd slapd = LargeDirectory.start(2)) {
      LargeDirectory.addEntries(slapd, 1, MEGABYTES);
      Result direct = Download.of(slapd.address(), LargeDirectory.entry(0));
      try (StoaProcess stoa = StoaProcess.with(HARDLY_ANY_MEMORY, slapd)) {
        AtomicInteger ended = new AtomicInteger();
        Parallel.run(CLIENTS, PATIENCE, number -> fetch(stoa, direct, ended));
        assertThat(ended.get()).isPositive();
        assertThat(stoa.log()).containsAnyOf("NO_MEMORY", "out of memory");
        Await.until("all are gone", () -> stoa.monitor("currentconnections") == 1);
        assertThat(Download.of(stoa.address(), LargeDirectory.entry(0))).isEqualTo(direct);
      }
    }
  }

  /** The answer is right, or unavailable (52), or the connection ends in the middle of it. */
  private static void fetch(StoaProcess stoa, Result direct, AtomicInteger ended) {
    Result result;
    try {
      result = Download.of(stoa.address(), LargeDirectory.entry(0), OCTETS_PER_SECOND);
    } catch (Refused e) {
      assertThat(e.code()).isEqualTo(UNAVAILABLE);
      ended.incrementAndGet();
      return;
    } catch (IOException e) {
      ended.incrementAndGet();
      return;
    }
    assertThat(result).isEqualTo(direct);
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.server.StoaProcess;
import io.stoa.server.load.Download.Result;
import io.stoa.testing.Parallel;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Slapd;
import io.stoa.testing.Soak;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many clients fetch what is much larger than the memory that Stoa has: all of it arrives. */
@Tag("soak")
@Tag("alone")
class LargeEntriesIT {
  private static final long MEGABYTE = 1 << 20;
  private static final List<String> LITTLE_MEMORY =
      List.of("-Xmx256m", "-XX:MaxDirectMemorySize=128m", "-Dio.netty.allocator.type=pooled");

  /** Heap, direct memory, and what the JVM takes for code, threads and the collector. */
  private static final long MAX_RESIDENT = (256 + 128 + 256) * MEGABYTE;

  private static final int CLIENTS = Soak.scale(8, 20);
  private static final int ENTRIES = Soak.scale(2, 4);
  private static final int ENTRY_MEGABYTES = Soak.scale(10, 50);
  private static final int MEMBERS = Soak.scale(20_000, 100_000);
  private static final Duration PATIENCE = Duration.ofMinutes(15);

  @Test
  void entriesAndGroupsArriveWholeWithLittleMemory() throws Exception {
    try (Slapd slapd = LargeDirectory.start(2)) {
      LargeDirectory.addEntries(slapd, ENTRIES, ENTRY_MEGABYTES);
      LargeDirectory.addGroup(slapd, MEMBERS);
      try (StoaProcess stoa = StoaProcess.with(LITTLE_MEMORY, slapd)) {
        long start = System.nanoTime();
        long octets = fetchAll(slapd, stoa);
        long millis = (System.nanoTime() - start) / 1_000_000;
        long resident = stoa.mostResidentMemory();
        assertThat(stoa.log()).doesNotContain("out of memory").doesNotContain("NO_MEMORY");
        assertThat(resident).isLessThan(MAX_RESIDENT);
        Soak.record(
            String.format(
                Locale.ROOT,
                "%d clients fetched %d MB in %d ms with %d MB resident at most",
                CLIENTS,
                octets / MEGABYTE,
                millis,
                resident / MEGABYTE));
      }
    }
  }

  private static long fetchAll(Slapd slapd, StoaProcess stoa) throws IOException {
    AtomicLong octets = new AtomicLong();
    for (int entry = 0; entry <= ENTRIES; entry++) {
      RawRequest search = entry < ENTRIES ? LargeDirectory.entry(entry) : LargeDirectory.group();
      Result direct = Download.of(slapd.address(), search);
      assertThat(direct.messages()).isEqualTo(2);
      Parallel.run(
          CLIENTS,
          PATIENCE,
          client -> {
            assertThat(Download.of(stoa.address(), search)).isEqualTo(direct);
            octets.addAndGet(direct.octets());
          });
    }
    return octets.get();
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import static io.stoa.testing.SmallDirectory.octets;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.cache.result.StoredEntry.EntryState;
import io.stoa.cache.result.StoredEntry.ReadContext;
import io.stoa.ldap.csn.Csn;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchEntry;
import io.stoa.ldap.schema.AttributeSelection;
import io.stoa.testing.Parallel;
import io.stoa.testing.SmallDirectory;
import io.stoa.testing.Soak;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Results on several threads store, read, replace and release the same entries. */
class EntryTableTest {
  private static final int THREADS = 4;
  private static final int STEPS = Soak.scale(100_000, 5_000_000);
  private static final int SHARED_NAMES = 6;
  private static final int MAX_HELD = 40;
  private static final Duration PATIENCE = Duration.ofMinutes(Soak.scale(2, 30));
  private static final AttributeSelection CN = selection("cn");

  /** Each covers {@link #CN}, so that each read of an entry serves a request for it. */
  private static final List<AttributeSelection> SELECTIONS =
      List.of(CN, selection("cn", "sn"), selection("cn", "mail"), selection("cn", "sn", "mail"));

  private final EntryTable table = new EntryTable();
  private final AtomicLong clock = new AtomicLong(1);

  private static AttributeSelection selection(String... names) {
    List<byte[]> octets = Arrays.stream(names).map(name -> octets(name)).toList();
    return AttributeSelection.of(octets, SmallDirectory.PROFILE);
  }

  private StoredEntry read(String name, AttributeSelection selection, long epoch, long state) {
    ReadContext context =
        new ReadContext(Octets.ofUtf8("all"), Octets.ofUtf8("sub"), selection, List.of(), null);
    EntryState shown = state == 0 ? EntryState.UNKNOWN : EntryState.feedOnly(csn(state));
    byte[] op = SearchEntry.encode(octets(name), List.of());
    return new StoredEntry(context, op, epoch, clock.get(), shown);
  }

  private static Csn csn(long state) {
    return new Csn("20260101000000.%06dZ#000000#001#000000".formatted(state % 1_000_000));
  }

  /** The results of one thread. Each of them holds one entry. */
  private final class Results {
    private final int thread;
    private final Random random;
    private final Map<String, List<StoredEntry>> held = new HashMap<>();
    private int count;

    Results(int thread, long seed) {
      this.thread = thread;
      this.random = new Random(seed + thread);
    }

    void step() {
      int number = random.nextInt(SHARED_NAMES + 2);
      String name = number < SHARED_NAMES ? shared(number) : "cn=own" + thread + "-" + number;
      List<StoredEntry> mine = held.computeIfAbsent(name, any -> new ArrayList<>());
      switch (random.nextInt(6)) {
        case 0, 1 -> add(name, mine);
        case 2 -> hold(name, mine);
        case 3 -> find(name, mine);
        default -> release(mine);
      }
      if (count > MAX_HELD) {
        releaseAll();
      }
    }

    private void add(String name, List<StoredEntry> mine) {
      long epoch = random.nextInt(20) == 0 ? clock.incrementAndGet() : clock.get();
      AttributeSelection selection = SELECTIONS.get(random.nextInt(SELECTIONS.size()));
      StoredEntry read = read(name, selection, epoch, 0);
      StoredEntry kept = table.add(read);
      assertThat(kept.isSameEntry(read)).isTrue();
      assertThat(kept.epoch()).as("an older read replaced this one").isGreaterThanOrEqualTo(epoch);
      mine.add(kept);
      count++;
    }

    /** A thread that holds a read may hold it again. */
    private void hold(String name, List<StoredEntry> mine) {
      if (mine.isEmpty()) {
        assertThat(table.hold(read(name, CN, 1, 0))).as("a read that nobody holds").isFalse();
        return;
      }
      StoredEntry read = mine.get(random.nextInt(mine.size()));
      assertThat(table.hold(read)).as("the read of a result is gone").isTrue();
      mine.add(read);
      count++;
    }

    /**
     * While a result holds a useful read of the entry, some read of it is found. While one thread
     * holds the newest, no older one is.
     */
    private void find(String name, List<StoredEntry> mine) {
      StoredEntry any = mine.isEmpty() ? read(name, CN, 1, 0) : mine.get(0);
      long newest =
          mine.stream()
              .filter(read -> !read.isSuperseded())
              .mapToLong(StoredEntry::epoch)
              .max()
              .orElse(0);
      StoredEntry found = table.find(any, CN, StoredEntry.ANY_EPOCH, null);
      if (mine.isEmpty()) {
        assertThat(found == null || !isOwn(name)).as("a released entry is found").isTrue();
      } else if (found == null) {
        assertThat(mine).as("a useful read is not found").allMatch(StoredEntry::isSuperseded);
      } else {
        assertThat(found.isSameEntry(any)).isTrue();
        assertThat(found.epoch()).isGreaterThanOrEqualTo(newest);
      }
    }

    private void release(List<StoredEntry> mine) {
      if (!mine.isEmpty()) {
        table.release(mine.remove(random.nextInt(mine.size())));
        count--;
      }
    }

    private void releaseAll() {
      for (List<StoredEntry> mine : held.values()) {
        while (!mine.isEmpty()) {
          release(mine);
        }
      }
    }
  }

  private static String shared(int number) {
    return "cn=shared" + number;
  }

  private static boolean isOwn(String name) {
    return name.startsWith("cn=own");
  }

  @Test
  void resultsOfSeveralThreadsShareEntries() {
    long seed = Soak.seed();
    List<Results> threads = run(seed);
    Map<String, List<StoredEntry>> all = new HashMap<>();
    threads.forEach(
        one ->
            one.held.forEach(
                (name, mine) -> all.computeIfAbsent(name, any -> new ArrayList<>()).addAll(mine)));
    all.values().removeIf(mine -> mine.stream().allMatch(StoredEntry::isSuperseded));
    assertThat(table.count()).as("seed %d", seed).isEqualTo(all.size());
    all.forEach(
        (name, holders) -> {
          while (holders.stream().anyMatch(read -> !read.isSuperseded())) {
            assertThat(find(name)).as("%s, seed %d", name, seed).isIn(holders);
            table.release(holders.remove(0));
          }
          assertThat(find(name)).as("%s, seed %d", name, seed).isNull();
        });
    assertThat(table.count()).as("seed %d", seed).isZero();
  }

  private List<Results> run(long seed) {
    List<Results> threads =
        IntStream.range(0, THREADS).mapToObj(number -> new Results(number, seed)).toList();
    Parallel.run(
        THREADS,
        PATIENCE,
        number -> {
          try {
            for (int step = 0; step < STEPS; step++) {
              threads.get(number).step();
            }
          } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
          }
        });
    return threads;
  }

  private StoredEntry find(String name) {
    return table.find(read(name, CN, 1, 0), CN, StoredEntry.ANY_EPOCH, null);
  }
}

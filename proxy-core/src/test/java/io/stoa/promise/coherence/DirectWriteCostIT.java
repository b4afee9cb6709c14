// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.LDAPConnection;
import io.stoa.testing.Await;
import io.stoa.testing.People;
import io.stoa.testing.Soak;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Somebody changes 1000 different entries a second round Stoa, while readers hit: slapd, its feed,
 * and Stoa's front door, with more and more cached queries, of which the same ten are for entries
 * that are changed. Everything runs in this process but slapd, so that it is the processor time of
 * the realm's thread that is compared, and not the rate.
 */
@Tag("soak")
class DirectWriteCostIT {
  private static final int[] SIZES =
      Soak.isLong() ? new int[] {10, 1000, 100_000} : new int[] {10, 200};
  private static final int MAX = SIZES[SIZES.length - 1];
  private static final Duration LENGTH = Duration.ofMillis(Soak.scale(700, 15_000));
  private static final Duration WARMING = Duration.ofMinutes(2);
  private static final Duration MAX_AGE = Duration.ofMillis(200);
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  /** By so much it may cost more for each change with more cached queries. */
  private static final int DEARER = 3;

  private record Phase(DirectWriteReaders.Read read, double hits) {}

  @Test
  void theCostOfAChangeDoesNotGrowWithTheCache() throws Exception {
    int everybody = DirectWriter.ENTRIES + MAX;
    double[] micros = new double[SIZES.length];
    try (SlapdWithFeed people =
            SlapdWithFeedSetup.of(everybody, MAX_AGE).cached(2 * everybody).start();
        DirectWriteReaders readers = DirectWriteReaders.of(people)) {
      for (int i = 0; i < SIZES.length; i++) {
        readers.warm(SIZES[i], WARMING);
        micros[i] = measure(people, readers, SIZES[i]);
      }
      assertThat(people.report().domain().gaps()).isZero();
      assertEqualsDirectory(people);
    }
    if (Soak.isLong()) {
      assertThat(micros[SIZES.length - 1]).isLessThanOrEqualTo(DEARER * micros[0]);
    }
  }

  /** What it took of the realm's thread for each change that it was told. */
  private static double measure(SlapdWithFeed people, DirectWriteReaders readers, int size)
      throws Exception {
    Phase alone = read(people, readers);
    try (DirectWriter writer = DirectWriter.of(people)) {
      writer.start();
      long told = people.report().domain().changes();
      long nanos = domainThreadNanos();
      long begun = System.nanoTime();
      Phase beside = read(people, readers);
      writer.end();
      double seconds = (System.nanoTime() - begun) / 1e9;
      people.awaitLive(); // all that was written has been told
      double changes = people.report().domain().changes() - told;
      double micros = (domainThreadNanos() - nanos) / 1e3 / changes;
      assertThat(changes).isPositive();
      assertThat(beside.read().count()).isPositive();
      report(size, micros, changes / seconds, alone, beside);
      return micros;
    }
  }

  private static Phase read(SlapdWithFeed people, DirectWriteReaders readers) throws Exception {
    long before = people.proxy().cache().filterHits();
    DirectWriteReaders.Read read = readers.read(LENGTH);
    return new Phase(read, (people.proxy().cache().filterHits() - before) / read.seconds());
  }

  private static long domainThreadNanos() {
    return LongStream.of(THREADS.getAllThreadIds()).map(DirectWriteCostIT::domainThreadNanos).sum();
  }

  private static long domainThreadNanos(long thread) {
    ThreadInfo info = THREADS.getThreadInfo(thread);
    boolean realms = info != null && info.getThreadName().startsWith("stoa-domain");
    return realms ? Math.max(0, THREADS.getThreadCpuTime(thread)) : 0;
  }

  /** What was changed last is what is given. */
  private static void assertEqualsDirectory(SlapdWithFeed people) {
    try (LDAPConnection client = people.client(People.dn(1), People.PASSWORD)) {
      for (int person = 0; person < DirectWriter.CACHED; person++) {
        String filter = "(uid=user." + person + ")";
        String has = SlapdWithFeed.value(people.root(), filter, DirectWriter.ATTRIBUTE);
        Await.until(
            filter, () -> has.equals(SlapdWithFeed.value(client, filter, DirectWriter.ATTRIBUTE)));
      }
    }
  }

  private static void report(int size, double micros, double rate, Phase alone, Phase beside) {
    Soak.record(
        String.format(
            Locale.ROOT,
            "%,d cached queries: %,.0f changes a second told, %.1f us of the realm's thread for"
                + " each; %,.0f hits/s, p99 %.2f ms, beside them, %,.0f hits/s, p99 %.2f ms"
                + " without",
            size,
            rate,
            micros,
            beside.hits(),
            millis(beside),
            alone.hits(),
            millis(alone)));
  }

  private static double millis(Phase phase) {
    return (double) phase.read().p99Nanos() / TimeUnit.MILLISECONDS.toNanos(1);
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.trace;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.net.tls.TlsConfig;
import io.stoa.testing.Certificates;
import io.stoa.testing.Parallel;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import io.stoa.testing.Soak;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * All clients of the trace at once, asking of people of whom some are known better than others and
 * some do not exist, while the directory changes: half of the writes say who is in a group, and
 * some go straight to the directory. Every answer is, octet for octet, the directory's own: of
 * before a write only while it is under way, or for {@code maxAge} if Stoa was not told of it.
 */
@Tag("soak")
class MixedTraceIT {
  private static final int PEOPLE = 60;
  private static final int STRANGERS = 10;
  private static final int STRANGERS_PERCENT = 20;
  private static final Duration MAX_AGE = Duration.ofSeconds(Soak.scale(2, 5));
  private static final Duration PATIENCE = Duration.ofHours(4);
  private static final double HARMONIC = harmonic();
  private static final long READS = Soak.scale(4_000L, 1_000_000L);

  /** Further hosts that ask for the same as another at the same time. */
  private static final List<TraceClient> BURSTS =
      List.of(TraceClient.NSLCD, TraceClient.NSLCD, TraceClient.SUDO, TraceClient.SSSD);

  private static final List<TraceClient> CLIENTS =
      Stream.concat(Stream.of(TraceClient.values()), BURSTS.stream()).toList();

  @Test
  void everyAnswerIsTheDirectorysOwn() {
    try (Certificates certificates = Certificates.create();
        Slapd slapd = slapd(certificates);
        UpstreamTap tap = new UpstreamTap(slapd.address());
        RunningProxy stoa = stoa(tap, certificates.server());
        DirectClients direct = new DirectClients(slapd.address(), stoa.address())) {
      WriteTimeline writes = new WriteTimeline(MAX_AGE);
      AnswerOracle history = new AnswerOracle(writes, direct);
      MixedRun run = new MixedRun(history, new TracedWrite.Source(new Random(Soak.seed()), PEOPLE));
      play(run, stoa.address(), certificates.clientContext());
      history.check();
      assertThat(writes.behind()).isPositive().isLessThan(writes.count());
      assertThat(history.undecided()).isLessThan(run.reads() / 100);
      Soak.record(
          "%d reads, each answered as the directory does; %d writes, %d of them straight to it"
              .formatted(run.reads(), writes.count(), writes.behind()));
      Soak.record(
          "%d different questions; %d answers of before their question was known to the test"
              .formatted(history.questions(), history.undecided()));
      Soak.record("from memory:" + run.ratios(tap.reads()));
    }
  }

  private static Slapd slapd(Certificates certificates) {
    return Slapd.start(TraceDirectory.config(PEOPLE).tls(certificates, certificates.server()));
  }

  private static RunningProxy stoa(UpstreamTap tap, Certificates.Pair own) {
    return ProxySetup.before(tap.port())
        .maxAge(MAX_AGE)
        .tls(TlsConfig.DEFAULTS.identity(own.certificate(), own.key()), "127.0.0.1:0")
        .start();
  }

  private static void play(MixedRun run, InetSocketAddress stoa, SSLContext tls) {
    Parallel.run(
        CLIENTS.size(),
        PATIENCE,
        number -> {
          TraceClient client = CLIENTS.get(number);
          Random random = new Random(Soak.seed() + CLIENTS.indexOf(client));
          for (int i = 0; run.reads() < READS; i++) {
            client.run(new Trace(stoa, tls, new Trace.Turn(i, randomPerson(random)), run));
          }
        });
  }

  /** By Zipf's law: the second is asked for half as often as the first, and so on. */
  private static int randomPerson(Random random) {
    if (random.nextInt(100) < STRANGERS_PERCENT) {
      return PEOPLE + random.nextInt(STRANGERS);
    }
    double left = random.nextDouble() * HARMONIC;
    int rank = 1;
    while (left > 1.0 / rank && rank < PEOPLE) {
      left -= 1.0 / rank;
      rank++;
    }
    return rank - 1;
  }

  private static double harmonic() {
    double sum = 0;
    for (int rank = 1; rank <= PEOPLE; rank++) {
      sum += 1.0 / rank;
    }
    return sum;
  }
}

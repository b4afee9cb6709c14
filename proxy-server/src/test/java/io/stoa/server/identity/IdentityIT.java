// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoa.server.Mutant;
import io.stoa.server.StoaProcess;
import io.stoa.testing.Parallel;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Slapd;
import io.stoa.testing.Soak;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Fifty people under random access rules, on pipelined connections that change identity all the
 * time: everybody gets exactly what the directory itself shows to that very identity.
 */
@Tag("soak")
class IdentityIT {
  private static final int CONNECTIONS = 60;
  private static final int QUERIES = 120;
  private static final Duration PATIENCE = Duration.ofHours(2);

  @Test
  void everybodySeesWhatTheDirectoryShowsThem() {
    long operations = Soak.scale(200_000L, 10_000_000L);
    try (Slapd slapd = start();
        StoaProcess stoa = StoaProcess.before(slapd)) {
      List<RawRequest> queries = queries();
      Oracle oracle = Oracle.ask(slapd, queries);
      assertThat(oracle.diversity()).as("different answers per query").isGreaterThan(3);
      long checked = run(stoa, queries, oracle, operations);
      assertThat(checked).isGreaterThanOrEqualTo(operations);
      Soak.record(summary(stoa, oracle, checked));
    }
  }

  @Test
  void cachesThatForgetWhoAskedAreFound() {
    try (Slapd slapd = start();
        StoaProcess stoa = StoaProcess.mutated(Mutant.IDENTITY, slapd)) {
      List<RawRequest> queries = queries();
      Oracle oracle = Oracle.ask(slapd, queries);
      assertThatThrownBy(() -> run(stoa, queries, oracle, 20_000))
          .hasMessageContaining("got what is not for it");
    }
  }

  private static Slapd start() {
    return Slapd.start(new RandomDirectory(new Random(Soak.seed())).config());
  }

  private static List<RawRequest> queries() {
    return new QueryPool(new Random(Soak.seed() + 1)).queries(QUERIES);
  }

  private static long run(
      StoaProcess stoa, List<RawRequest> queries, Oracle oracle, long operations) {
    AtomicLong checked = new AtomicLong();
    Parallel.run(
        CONNECTIONS,
        PATIENCE,
        number -> {
          Random random = new Random(Soak.seed() + 2 + number);
          try (RawLdapClient raw = stoa.client()) {
            IdentityClient client = new IdentityClient(raw, queries, oracle, random);
            while (checked.get() < operations) {
              int before = client.checked();
              client.round();
              checked.addAndGet(client.checked() - before);
            }
          }
        });
    return checked.get();
  }

  private static String summary(StoaProcess stoa, Oracle oracle, long checked) {
    return String.format(
        Locale.ROOT,
        "%d operations of %d identities, all as the directory answers them;"
            + " %.1f different answers per query; hits %d, misses %d",
        checked,
        RandomDirectory.IDENTITIES,
        oracle.diversity(),
        stoa.monitor("filter_cache_hit"),
        stoa.monitor("filter_cache_miss"));
  }
}

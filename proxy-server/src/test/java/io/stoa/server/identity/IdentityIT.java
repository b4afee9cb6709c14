// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoa.server.Mutant;
import io.stoa.server.StoaProcess;
import io.stoa.testing.Parallel;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.Soak;
import java.time.Duration;
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
  private static final Duration PATIENCE = Duration.ofHours(2);

  @Test
  void eachIdentityGetsTheDirectorysAnswers() {
    long operations = Soak.scale(200_000L, 10_000_000L);
    try (World world = World.diverse(Soak.seed());
        StoaProcess stoa = StoaProcess.before(world.slapd())) {
      long checked = run(stoa, world, operations);
      assertThat(checked).isGreaterThanOrEqualTo(operations);
      Soak.record(summary(stoa, world.oracle(), checked));
    }
  }

  @Test
  void eachIdentityGetsItsAnswersInProxiedMode() {
    long operations = Soak.scale(50_000L, 10_000_000L);
    try (World world = World.diverse(Soak.seed());
        StoaProcess stoa =
            StoaProcess.proxied(
                world.slapd(), RandomDirectory.STOA, RandomDirectory.STOA_PASSWORD, "cn=nobody")) {
      long checked = run(stoa, world, operations);
      assertThat(checked).isGreaterThanOrEqualTo(operations);
      Soak.record("proxied: " + summary(stoa, world.oracle(), checked));
    }
  }

  @Test
  void cachesThatIgnoreTheIdentityAreFound() {
    try (World world = World.diverse(Soak.seed());
        StoaProcess stoa = StoaProcess.mutated(Mutant.IDENTITY, world.slapd())) {
      assertThatThrownBy(() -> run(stoa, world, 20_000))
          .hasMessageContaining("got what is not for it");
    }
  }

  private static long run(StoaProcess stoa, World world, long operations) {
    AtomicLong checked = new AtomicLong();
    Parallel.run(
        CONNECTIONS,
        PATIENCE,
        number -> {
          Random random = new Random(Soak.seed() + 2 + number);
          try (RawLdapClient raw = stoa.client()) {
            IdentityClient client = new IdentityClient(raw, world, random);
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

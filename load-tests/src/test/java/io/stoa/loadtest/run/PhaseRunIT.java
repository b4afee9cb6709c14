// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.run;

import static io.gatling.javaapi.core.CoreDsl.doIf;
import static io.gatling.javaapi.core.CoreDsl.exec;
import static io.gatling.javaapi.core.CoreDsl.pause;
import static io.stoa.loadtest.LdapDsl.entries;
import static io.stoa.loadtest.LdapDsl.ldap;
import static org.assertj.core.api.Assertions.assertThat;

import io.gatling.javaapi.core.ChainBuilder;
import io.gatling.javaapi.core.PopulationBuilder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Users that fail or end too late, in front of the canned server. */
class PhaseRunIT {
  private static final ChainBuilder RIGHT =
      exec(ldap("find").search(Directory.PEOPLE).filter("(uid=user.1)").check(entries(1)));

  @TempDir Path directory;

  @Test
  void aPhaseThatIsCutOffHasFailed() {
    try (CannedServer server = CannedServer.start()) {
      ChainBuilder once = doIf(session -> session.userId() % 2 == 0).then(pause(60));
      PhaseRun course = new PhaseRun(Phase.of("slow", 4, RIGHT.exec(once)));
      PhaseResult outcome = run(course, Phase.of("slow", 4, RIGHT), server, Duration.ofSeconds(3));
      assertThat(outcome.errors()).isEqualTo(2);
      assertThat(outcome.mistakes()).singleElement().asString().contains("of 4 users 4", "2 had");
    }
  }

  @Test
  void theHookRunsAfterAllConnectAndBeforeAnyRequest() {
    try (CannedServer server = CannedServer.start()) {
      AtomicInteger rests = new AtomicInteger();
      AtomicInteger sent = new AtomicInteger();
      Phase phase =
          Phase.of(
                  "rest",
                  20,
                  exec(session -> {
                        sent.incrementAndGet();
                        return session;
                      })
                      .exec(RIGHT))
              .whenConnected(() -> rests.addAndGet(1 + 100 * sent.get()));
      PhaseResult outcome = run(new PhaseRun(phase), phase, server, Duration.ofSeconds(20));
      assertThat(rests).hasValue(1);
      assertThat(outcome.errors()).isZero();
      assertThat(outcome.byName()).containsOnlyKeys("find");
      assertThat(outcome.all().ok()).isEqualTo(20);
    }
  }

  private PhaseResult run(PhaseRun course, Phase phase, CannedServer server, Duration limit) {
    PopulationBuilder users = phase.population(server.target(), course);
    GatlingRun.run(users, limit, directory, false);
    return PhaseResult.of(
        phase, server.target(), course, PhaseResult.Hits.NONE, PhaseResult.Caches.NONE);
  }
}

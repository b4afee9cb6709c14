// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.server.StoaProcess;
import io.stoa.testing.Await;
import io.stoa.testing.Parallel;
import io.stoa.testing.People;
import io.stoa.testing.Requests;
import io.stoa.testing.Slapd;
import io.stoa.testing.Soak;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Clients that send most of a large request and stall, or many large ones without taking an answer,
 * take no memory from others: fifty ordinary clients go on beside them without an error. The sizes
 * of the short form have the ratio to the direct memory that those of the long form have.
 */
@Tag("soak")
@Tag("alone")
class RequestFloodIT {
  private static final int PEOPLE = 500;
  private static final int BYSTANDERS = 50;
  private static final int LEAST = Soak.scale(20, 400);
  private static final int DIRECT_MEGABYTES = Soak.scale(64, 1024);
  private static final int ANONYMOUS = Soak.scale(270, 4_300);
  private static final int ANONYMOUS_OCTETS = 250 * 1024;
  private static final int BOUND = Soak.scale(19, 300);
  private static final int BOUND_OCTETS = 4 * 1024 * 1024 - 8 * 1024;
  private static final int COMPLETE = 16;
  private static final int COMPLETE_OCTETS = 240 * 1024;
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private static final List<String> JVM_OPTIONS =
      List.of(
          "-Xmx512m",
          "-XX:MaxDirectMemorySize=" + DIRECT_MEGABYTES + "m",
          "-XX:TieredStopAtLevel=" + Soak.scale(1, 4),
          "-Dio.netty.allocator.type=pooled");

  @Test
  void otherClientsAreServedBesideStalledOnes() throws Exception {
    try (Slapd slapd = LargeDirectory.start(PEOPLE);
        StoaProcess stoa = StoaProcess.with(JVM_OPTIONS, slapd)) {
      OrdinaryClients others = new OrdinaryClients(stoa.address(), PEOPLE);
      others.run(BYSTANDERS, LEAST, () -> false); // warm up
      final long before = others.run(BYSTANDERS, LEAST, () -> false);
      attack(stoa, others, before, stalled(stoa, ANONYMOUS, ANONYMOUS_OCTETS, new byte[0]));
      byte[] bind = Requests.bind(People.dn(PEOPLE - 1), People.PASSWORD).encode(1);
      attack(stoa, others, before, stalled(stoa, BOUND, BOUND_OCTETS, bind));
      flood(stoa, others, before);
      assertThat(stoa.log())
          .contains("limits.requestMemory reached")
          .doesNotContain("NO_MEMORY", "out of memory");
    }
  }

  private static StalledClients stalled(StoaProcess stoa, int count, int octets, byte[] first) {
    return new StalledClients("127.0.0.1", stoa.address(), count, first, octets);
  }

  private static void attack(
      StoaProcess stoa, OrdinaryClients others, long before, StalledClients attackers) {
    long givenUp = stoa.monitor("stoaConnectionsShed");
    assertOthersAreServed(stoa, others, before, attackers, 2); // those that were given up come back
    assertThat(stoa.monitor("stoaConnectionsShed")).isGreaterThan(givenUp);
  }

  /** Complete requests of clients that take no answer. */
  private static void flood(StoaProcess stoa, OrdinaryClients others, long before) {
    StalledClients attackers =
        StalledClients.complete(stoa.address(), ANONYMOUS, COMPLETE, COMPLETE_OCTETS);
    assertOthersAreServed(stoa, others, before, attackers, 1);
  }

  private static void assertOthersAreServed(
      StoaProcess stoa, OrdinaryClients others, long before, StalledClients attackers, int rounds) {
    long givenUp = stoa.monitor("stoaConnectionsShed");
    long[] beside = new long[1];
    AtomicBoolean under = new AtomicBoolean(true);
    try (StalledClients attack = attackers) {
      Parallel.run(
          2,
          PATIENCE,
          number -> {
            if (number == 0) {
              attack.run(under::get);
            } else {
              beside[0] = p99DuringAttack(others, attack, rounds, under);
            }
          });
      Soak.record(
          "%d connections sent %d KiB and stalled, %d were opened, %d given up; p99 of"
                  .formatted(
                      attack.count(),
                      attack.octets() / 1024,
                      attack.opened(),
                      stoa.monitor("stoaConnectionsShed") - givenUp)
              + " %d others: %d µs before, %d µs beside them"
                  .formatted(BYSTANDERS, before, beside[0]));
    }
    Await.until("nothing is held", () -> stoa.monitor("stoaRequestMemory") == 0);
  }

  private static long p99DuringAttack(
      OrdinaryClients others, StalledClients attack, int rounds, AtomicBoolean under) {
    try {
      return others.run(BYSTANDERS, LEAST, () -> attack.opened() < (long) rounds * attack.count());
    } finally {
      under.set(false);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Parallel;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.ReplicatedSlapd;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import io.stoa.testing.SlapdConfig;
import io.stoa.testing.Soak;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * A server that is killed three times in a row, and started again at once each time, under clients
 * that read, bind and write: each operation is answered well within {@code queueTimeout}.
 */
@Tag("soak")
@Tag("timed")
class KilledServersIT {
  private static final int PEOPLE = 40;
  private static final int CLIENTS = 12;
  private static final int ROUNDS = Soak.scale(1, 20);
  private static final int KILLS = 3;
  private static final int OPERATIONS = 50;
  private static final int SERVED_BETWEEN = 1_000;

  /** Shorter than the 10 s for which an operation may wait for a connection. */
  private static final Duration BOUND = Duration.ofSeconds(8);

  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private static ReplicatedSlapd servers;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private final AtomicInteger done = new AtomicInteger();
  private final AtomicLong slowest = new AtomicLong();
  private final AtomicInteger served = new AtomicInteger();
  private final AtomicBoolean over = new AtomicBoolean();
  private final Set<String> codes = new ConcurrentSkipListSet<>();

  @BeforeAll
  static void startServers() {
    SlapdConfig stock = SlapdConfig.stock();
    servers = ReplicatedSlapd.start(stock, People.SUFFIX, People.ACCESS, People.tree(PEOPLE), 1);
  }

  @AfterAll
  static void stopServers() {
    servers.close();
  }

  @Test
  void noOperationHangsIfTheOnlyServerIsKilled() {
    int primary = servers.primary().port();
    try (RunningProxy proxy = ProxySetup.before(primary).cachesOff().start()) {
      killUnderLoad(proxy);
    }
  }

  @Test
  void noOperationHangsIfOneOfTwoServersIsKilled() {
    try (RunningProxy proxy = ProxySetup.before(servers.ports()).cachesOff().start()) {
      proxy.awaitUp();
      killUnderLoad(proxy);
    }
  }

  private void killUnderLoad(RunningProxy proxy) {
    Parallel.run(
        CLIENTS + 1,
        PATIENCE,
        number -> {
          if (number == CLIENTS) {
            killAgainAndAgain();
          } else {
            ask(proxy, number);
          }
        });
    proxy.awaitUp();
    try (RawLdapClient client = proxy.client()) {
      client.bind(People.dn(0), People.PASSWORD);
      assertThat(client.code(People.find(1))).isZero();
      assertThat(client.code(write(0))).isZero();
    }
    assertThat(codes)
        .isSubsetOf("read 0", "read 52", "bind 0", "bind 52", "write 0", "write 52", "write 80");
    assertThat(proxy.status().backends())
        .as("a restart is not taken for a limit of a connection")
        .allMatch(server -> server.places().ofConnection() == 0);
    long millis = TimeUnit.NANOSECONDS.toMillis(slowest.get());
    Soak.record(
        "%d servers, %d kills, %d operations, the slowest took %d ms: %s"
            .formatted(proxy.up(), KILLS * ROUNDS, done.get(), millis, codes));
  }

  private void killAgainAndAgain() {
    Random random = new Random(Soak.seed());
    Slapd primary = servers.primary();
    try {
      for (int kill = 0; kill < KILLS * ROUNDS; kill++) {
        int reached = served.get() + random.nextInt(SERVED_BETWEEN);
        Await.until("clients are served", () -> served.get() >= reached);
        primary.kill();
        primary.restart();
      }
    } finally {
      over.set(true);
    }
  }

  /** Asks until all is over; a client that is disconnected connects again. */
  private void ask(RunningProxy proxy, int number) {
    while (!over.get()) {
      try (RawLdapClient client = proxy.client().patience(BOUND)) {
        boolean bound = isBound(client, number);
        for (int i = 0; i < OPERATIONS && !over.get(); i++) {
          switch (number % KILLS) {
            case 0 -> code("read", client, People.find(i % PEOPLE));
            case 1 -> code("bind", client, bind(i % PEOPLE));
            default -> bound = bound ? wrote(client, number) : isBound(client, number);
          }
        }
      }
    }
  }

  private boolean isBound(RawLdapClient client, int number) {
    return code("bind", client, bind(number)) == 0;
  }

  private boolean wrote(RawLdapClient client, int number) {
    code("write", client, write(number));
    return true;
  }

  private int code(String what, RawLdapClient client, RawRequest request) {
    final long start = System.nanoTime();
    int code = client.code(request);
    slowest.accumulateAndGet(System.nanoTime() - start, Math::max);
    codes.add(what + " " + code);
    done.incrementAndGet();
    served.addAndGet(code == 0 ? 1 : 0);
    return code;
  }

  private static RawRequest bind(int person) {
    return Requests.bind(People.dn(person), People.PASSWORD);
  }

  private RawRequest write(int person) {
    return Requests.replace(People.dn(person), "sn", "changed" + done.get());
  }
}

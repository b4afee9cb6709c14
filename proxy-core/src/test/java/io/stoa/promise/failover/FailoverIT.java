// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.failover;

import static io.stoa.testing.Requests.search;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Await;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.Parallel;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.Slapd;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One of two directories dies with SIGKILL while clients search: none of them notices. */
@Tag("timed")
class FailoverIT {
  private static final int PEOPLE = 100;
  private static final int CLIENTS = 16;
  private static final int SEARCHES_BEFORE = 4_000;
  private static final int SEARCHES_AFTER = 8_000;
  private static final int BINDS_AFTER = 100;
  private static final RawRequest ALL = search(People.PEOPLE).oneLevel().request();
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void noSearchFailsWhenADirectoryIsKilled(boolean primary) {
    try (Slapd first = Slapd.start(People.slapd(PEOPLE));
        Slapd second = Slapd.start(People.slapd(PEOPLE));
        RunningProxy proxy = ProxySetup.before(first.port(), second.port()).cachesOff().start()) {
      proxy.awaitUp();
      Slapd victim = primary ? first : second;
      searchWhile(proxy, victim::kill);
      assertThat(proxy.up()).isEqualTo(1);
      victim.restart();
      proxy.awaitUp();
    }
  }

  @Test
  void noSearchFailsWhenADirectoryIsStoppedAndStartedAgain() {
    try (Slapd first = Slapd.start(People.slapd(PEOPLE));
        Slapd second = Slapd.start(People.slapd(PEOPLE));
        RunningProxy proxy = ProxySetup.before(first.port(), second.port()).cachesOff().start()) {
      proxy.awaitUp();
      searchWhile(
          proxy,
          () -> {
            first.stop();
            first.restart();
          });
      proxy.awaitUp();
    }
  }

  @Test
  void noSearchFailsOrWaitsForLongWhenADirectoryFreezes() {
    try (Slapd first = Slapd.start(People.slapd(PEOPLE));
        Slapd second = Slapd.start(People.slapd(PEOPLE));
        RunningProxy proxy = ProxySetup.before(first.port(), second.port()).cachesOff().start()) {
      proxy.awaitUp();
      searchWhile(proxy, second::freeze);
      assertThat(proxy.up()).isEqualTo(1);
      second.thaw();
      proxy.awaitUp();
    }
  }

  /** Each bind is one by another name; the results are as large as any that are held. */
  @Test
  void noBindAndNoLargeResultFailsWhenADirectoryFreezes() {
    try (Slapd first = Slapd.start(People.slapd(PEOPLE));
        Slapd second = Slapd.start(People.slapd(PEOPLE));
        RunningProxy proxy = ProxySetup.before(first.port(), second.port()).cachesOff().start()) {
      proxy.awaitUp();
      AtomicInteger done = new AtomicInteger();
      long slowest = bindAndListWhile(proxy, done, second::freeze);
      System.out.println("slowest bind or list: " + slowest / 1_000_000 + " ms");
      second.thaw();
    }
  }

  private static long bindAndListWhile(RunningProxy proxy, AtomicInteger done, Runnable accident) {
    AtomicLong slowest = new AtomicLong();
    AtomicInteger after = new AtomicInteger(BINDS_AFTER);
    AtomicBoolean happened = new AtomicBoolean();
    Parallel.run(
        CLIENTS + 1,
        PATIENCE,
        number -> {
          if (number == CLIENTS) {
            Await.until("load", () -> done.get() > BINDS_AFTER);
            accident.run();
            happened.set(true);
            return;
          }
          try (RawLdapClient client = proxy.client()) {
            while (after.get() > 0) {
              long sent = System.nanoTime();
              client.bind(People.dn(done.incrementAndGet() % PEOPLE), People.PASSWORD);
              assertThat(client.call(ALL)).hasSize(PEOPLE + 1);
              slowest.accumulateAndGet(System.nanoTime() - sent, Math::max);
              after.addAndGet(happened.get() ? -1 : 0);
            }
          }
        });
    return slowest.get();
  }

  /** Half of the clients are bound, all search; in the middle of it the accident happens. */
  private static void searchWhile(RunningProxy proxy, Runnable accident) {
    AtomicInteger done = new AtomicInteger();
    AtomicBoolean happened = new AtomicBoolean();
    AtomicInteger after = new AtomicInteger();
    AtomicLong slowest = new AtomicLong();
    Parallel.run(
        CLIENTS + 1,
        PATIENCE,
        number -> {
          if (number == CLIENTS) {
            Await.until("load", () -> done.get() > SEARCHES_BEFORE);
            accident.run();
            happened.set(true);
            return;
          }
          try (RawLdapClient client = proxy.client()) {
            if (number % 2 == 0) {
              client.bind(People.dn(number), People.PASSWORD);
            }
            while (after.get() < SEARCHES_AFTER) {
              long sent = System.nanoTime();
              assertFinds(client, done.incrementAndGet() % PEOPLE);
              slowest.accumulateAndGet(System.nanoTime() - sent, Math::max);
              if (happened.get()) {
                after.incrementAndGet();
              }
            }
          }
        });
    System.out.println("slowest search: " + slowest.get() / 1_000_000 + " ms");
  }

  private static void assertFinds(RawLdapClient client, int person) {
    assertThat(client.call(People.find(person))).as("search for %s", person).hasSize(2);
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.failover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.netty.util.ResourceLeakDetector;
import io.stoa.testing.Await;
import io.stoa.testing.ClientSwarm;
import io.stoa.testing.ExpectedLog;
import io.stoa.testing.FewAtATime;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.Responses;
import io.stoa.testing.RunningProxy;
import io.stoa.testing.ScriptedUpstream;
import io.stoa.testing.Soak;
import io.stoa.upstream.balancing.BalanceConfig;
import io.stoa.upstream.balancing.BalanceConfig.Reads;
import io.stoa.upstream.balancing.Balancing;
import io.stoa.upstream.balancing.ServerSpec;
import io.stoa.upstream.server.BackendState;
import io.stoa.upstream.server.ServerAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Servers that work on four searches at a time, each for two milliseconds: what several do
 * together, and what each has of it, by strategy.
 */
@Tag("soak")
@Tag("alone")
class LoadBalancingIT {
  private static final int AT_A_TIME = 4;
  private static final Duration EACH = Duration.ofMillis(2);
  private static final int CLIENTS = 8;
  private static final int IN_FLIGHT = 24;
  private static final Duration WARM = Duration.ofMillis(600);
  private static final Duration COLD = Duration.ofSeconds(4);

  /** A machine that does something else for a moment spoils one round, and not the median. */
  private static final Duration ROUND = Duration.ofMillis(100);

  private static final int ROUNDS = Soak.scale(10, 150);
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final RawRequest DONE = Responses.searchDone(0);
  private static final List<RawRequest> SEARCHES =
      IntStream.range(0, 1_000)
          .mapToObj(i -> Requests.search("uid=" + i + ",dc=example,dc=com").baseScope().request())
          .toList();

  private static boolean warm;

  @RegisterExtension final ExpectedLog log = new ExpectedLog();

  private static ResourceLeakDetector.Level watched;

  private final List<ScriptedUpstream> servers = new ArrayList<>();
  private final List<FewAtATime> works = new ArrayList<>();

  /** To watch each buffer takes more time than to send it, and other tests do it. */
  @BeforeAll
  static void doNotWatchBuffers() {
    watched = ResourceLeakDetector.getLevel();
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
  }

  @AfterAll
  static void watchBuffersAgain() {
    ResourceLeakDetector.setLevel(watched);
  }

  @AfterEach
  void stop() {
    servers.forEach(ScriptedUpstream::close);
    works.forEach(FewAtATime::close);
  }

  private void serve(Duration each) {
    FewAtATime work =
        new FewAtATime(
            AT_A_TIME, each, (request, link) -> link.sendOctets(DONE.encode(request.messageId())));
    ScriptedUpstream server = ScriptedUpstream.forgetful();
    server.when(request -> request.message().mentions("uid="), work);
    works.add(work);
    servers.add(server);
  }

  @Test
  void throughputGrowsWithTheNumberOfServers() {
    double one = rate(1);
    double two = rate(2);
    double three = rate(3);
    Soak.record(
        "searches in a second: one server %.0f, two %.0f (%.3f x), three %.0f (%.3f x)"
            .formatted(one, two, two / one, three, three / one));
    assertThat(two / one).isGreaterThanOrEqualTo(1.95);
    assertThat(three / one).isGreaterThanOrEqualTo(2.9);
  }

  private double rate(int count) {
    stop();
    servers.clear();
    works.clear();
    IntStream.range(0, count).forEach(i -> serve(EACH));
    double[] rates =
        measure(Balancing.LEAST_OUTSTANDING).stream()
            .mapToDouble(round -> DoubleStream.of(round).sum())
            .sorted()
            .toArray();
    return rates[rates.length / 2];
  }

  /** Searches answered in a second by each server, in each round, as many as they can. */
  private List<double[]> measure(Balancing strategy) {
    BalanceConfig balance =
        new BalanceConfig(List.of(strategy), Reads.ALL, Duration.ZERO, Duration.ZERO);
    List<ServerSpec> specs =
        IntStream.range(0, servers.size())
            .mapToObj(
                i ->
                    new ServerSpec(
                        new ServerAddress("127.0.0.1", servers.get(i).port()), i == 0, 1, 1))
            .toList();
    int[] ports = servers.stream().mapToInt(ScriptedUpstream::port).toArray();
    try (RunningProxy proxy =
        ProxySetup.before(ports)
            .cachesOff()
            .upstream("servers", specs)
            .upstream("balance", balance)
            .start()) {
      Await.until(
          "all are up",
          () ->
              proxy.status().backends().stream()
                  .allMatch(backend -> backend.state() == BackendState.UP));
      return load(proxy);
    }
  }

  private List<double[]> load(RunningProxy proxy) {
    AtomicBoolean over = new AtomicBoolean();
    try (ClientSwarm crowd = new ClientSwarm()) {
      List<Thread> threads = new ArrayList<>();
      AtomicInteger number = new AtomicInteger();
      for (int i = 0; i < CLIENTS; i++) {
        RawLdapClient client = crowd.add(proxy.client());
        Thread thread = new Thread(() -> search(client, number, over), "searcher");
        thread.start();
        threads.add(thread);
      }
      pass(warm ? WARM : COLD); // until what is run often has been compiled
      warm = true;
      List<double[]> rates = new ArrayList<>();
      for (int i = 0; i < ROUNDS; i++) {
        rates.add(round());
      }
      over.set(true);
      for (Thread thread : threads) {
        thread.join(PATIENCE.toMillis());
      }
      return rates;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }

  private double[] round() throws InterruptedException {
    long began = System.nanoTime();
    long[] before = works.stream().mapToLong(FewAtATime::answered).toArray();
    pass(ROUND);
    double seconds = (System.nanoTime() - began) / 1e9;
    return IntStream.range(0, before.length)
        .mapToDouble(i -> (works.get(i).answered() - before[i]) / seconds)
        .toArray();
  }

  /** For each answer the next search, so that as many are always in flight. */
  private static void search(RawLdapClient client, AtomicInteger number, AtomicBoolean over) {
    for (int i = 0; i < IN_FLIGHT; i++) {
      client.send(search(number.incrementAndGet()));
    }
    for (int inFlight = IN_FLIGHT; inFlight > 0; ) {
      boolean ended = client.next().orElseThrow().isFinal();
      if (ended && over.get()) {
        inFlight--;
      } else if (ended) {
        client.send(search(number.incrementAndGet()));
      }
    }
  }

  /** The load goes on for so long; nothing depends on when exactly it ends. */
  private static void pass(Duration time) throws InterruptedException {
    Thread.sleep(time.toMillis());
  }

  private static RawRequest search(int number) {
    return SEARCHES.get(number % SEARCHES.size());
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"FAILOVER"})
  void threeEqualServersHaveAThirdEach(Balancing strategy) {
    IntStream.range(0, 3).forEach(i -> serve(EACH));
    double[] shares = shares(strategy);
    record(strategy, "three equal servers", shares);
    assertThat(shares).contains(new double[] {1 / 3.0, 1 / 3.0, 1 / 3.0}, within(0.03));
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"FAILOVER"})
  void aSlowerServerGetsFewerReadsByAdaptiveStrategies(Balancing strategy) {
    serve(EACH.multipliedBy(2));
    IntStream.range(0, 2).forEach(i -> serve(EACH));
    double[] shares = shares(strategy);
    record(strategy, "the first slower by half", shares);
    if (strategy == Balancing.LEAST_OUTSTANDING || strategy == Balancing.BEST_OF_TWO) {
      assertThat(shares[0]).isCloseTo(0.2, within(0.03));
    } else if (strategy != Balancing.DN_AFFINITY) {
      assertThat(shares[0]).isCloseTo(1 / 3.0, within(0.03));
    }
  }

  private static void record(Balancing strategy, String servers, double[] shares) {
    Soak.record(
        "%s, %s: %.1f %%, %.1f %%, %.1f %%"
            .formatted(strategy, servers, 100 * shares[0], 100 * shares[1], 100 * shares[2]));
  }

  private double[] shares(Balancing strategy) {
    List<double[]> rounds = measure(strategy);
    double[] rates =
        IntStream.range(0, servers.size())
            .mapToDouble(i -> rounds.stream().mapToDouble(round -> round[i]).sum())
            .toArray();
    double all = DoubleStream.of(rates).sum();
    return DoubleStream.of(rates).map(rate -> rate / all).toArray();
  }
}

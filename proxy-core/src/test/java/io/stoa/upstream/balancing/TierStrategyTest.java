// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.stoa.upstream.server.Backend;
import io.stoa.upstream.server.BackendConfig;
import io.stoa.upstream.server.ServerAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Shares of servers in simulated time: nothing here waits. */
class TierStrategyTest {
  private static final int OPERATIONS = 30_000;
  private static final double PERCENT = OPERATIONS / 100.0;
  private static final long MILLI = 1_000_000;

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "FAILOVER")
  void equalServersGetEqualShares(Balancing balancing) {
    Simulation simulation = new Simulation(balancing, 1, 1, 1);
    simulation.run(8, server -> MILLI);
    for (int server = 0; server < 3; server++) {
      assertThat(simulation.share(server)).isCloseTo(OPERATIONS / 3.0, within(3 * PERCENT));
    }
  }

  @Test
  void failoverSendsAllToTheFirstServer() {
    Simulation simulation = new Simulation(Balancing.FAILOVER, 1, 1, 1);
    simulation.run(8, server -> MILLI);
    assertThat(simulation.share(0)).isEqualTo(OPERATIONS);
  }

  @Test
  void sharesFollowTheWeights() {
    for (Balancing balancing :
        List.of(Balancing.WEIGHTED, Balancing.DN_AFFINITY, Balancing.LEAST_OUTSTANDING)) {
      Simulation simulation = new Simulation(balancing, 3, 2, 1);
      simulation.run(12, server -> MILLI);
      for (int server = 0; server < 3; server++) {
        assertThat(simulation.share(server))
            .as("%s, server %s", balancing, server)
            .isCloseTo(OPERATIONS * (3 - server) / 6.0, within(3 * PERCENT));
      }
    }
  }

  @Test
  void aSlowServerGetsLessFromLoadAwareStrategies() {
    LongUnaryOperator secondIsSlow = server -> server == 1 ? 2 * MILLI : MILLI;
    Map<Balancing, Double> shares = new HashMap<>();
    for (Balancing balancing : Balancing.values()) {
      Simulation simulation = new Simulation(balancing, 1, 1, 1);
      simulation.run(12, secondIsSlow);
      shares.put(balancing, simulation.share(1) / PERCENT);
    }
    assertThat(shares.get(Balancing.ROUND_ROBIN)).isCloseTo(100 / 3.0, within(1.0));
    assertThat(shares.get(Balancing.WEIGHTED)).isCloseTo(100 / 3.0, within(1.0));
    assertThat(shares.get(Balancing.LEAST_OUTSTANDING)).isCloseTo(20.0, within(3.0));
    assertThat(shares.get(Balancing.BEST_OF_TWO)).isLessThan(20.0);
  }

  @Test
  void equalReadsStayOnOneServerUntilItIsBusier() {
    Simulation simulation = new Simulation(Balancing.DN_AFFINITY, 1, 1, 1);
    for (int key = 0; key < 100; key++) {
      Backend first = simulation.choose(key);
      for (int busy = 0; busy < 4; busy++) {
        assertThat(simulation.choose(key)).isSameAs(first);
        first.onSent();
      }
      assertThat(simulation.choose(key)).isNotSameAs(first);
      for (int busy = 0; busy < 4; busy++) {
        first.onEnded();
      }
    }
  }

  @Test
  void losingAServerMovesOnlyItsReads() {
    Simulation three = new Simulation(Balancing.DN_AFFINITY, 1, 1, 1);
    List<Backend> two = three.backends.subList(0, 2);
    TierStrategy strategy = Balancing.DN_AFFINITY.strategy();
    for (int key = 0; key < 1000; key++) {
      Backend before = three.choose(key);
      if (before != three.backends.get(2)) {
        assertThat(strategy.choose(two, new Key(key), 0)).isSameAs(before);
      }
    }
  }

  private record Key(long affinity) implements LoadBalancingContext {
    @Override
    public int handicap(Backend backend) {
      return 0;
    }
  }

  private record Answer(long at, Backend by, long took) {}

  /** So many clients, each of which asks again as soon as it has its answer. */
  private static final class Simulation {
    private final List<Backend> backends = new ArrayList<>();
    private final Map<Backend, Integer> shares = new HashMap<>();
    private final TierStrategy strategy;
    private final Random random = new Random(7);

    Simulation(Balancing balancing, int... weights) {
      strategy = balancing.strategy();
      for (int weight : weights) {
        ServerAddress address = new ServerAddress("ldap" + backends.size() + ".example", 389);
        backends.add(
            new Backend(address, new BackendConfig(true, false, 10, 10, weight, Duration.ZERO, 0)));
      }
    }

    Backend choose(long key) {
      return strategy.choose(backends, new Key(key), 0);
    }

    void run(int clients, LongUnaryOperator service) {
      PriorityQueue<Answer> answers =
          new PriorityQueue<>((one, other) -> Long.compare(one.at(), other.at()));
      for (int operation = 0; operation < OPERATIONS; operation++) {
        Answer done = answers.size() < clients ? null : answers.remove();
        long now = done == null ? 1 : done.at();
        if (done != null) {
          done.by().onEnded();
          done.by().latency().add(done.took(), now);
        }
        Backend next = strategy.choose(backends, new Key(random.nextInt(5000)), now);
        next.onSent();
        shares.merge(next, 1, Integer::sum);
        long took =
            (long) (service.applyAsLong(backends.indexOf(next)) * (0.5 + random.nextDouble()));
        answers.add(new Answer(now + took, next, took));
      }
    }

    double share(int server) {
      return shares.getOrDefault(backends.get(server), 0);
    }
  }
}

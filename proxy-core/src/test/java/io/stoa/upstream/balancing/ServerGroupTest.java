// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Records;
import io.stoa.upstream.balancing.BalanceConfig.Reads;
import io.stoa.upstream.server.Backend;
import io.stoa.upstream.server.BackendConfig;
import io.stoa.upstream.server.ServerAddress;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Two servers of tier 1, of which the first is the primary, and one of tier 2. */
class ServerGroupTest {
  private static final LoadBalancingContext ANY =
      new LoadBalancingContext() {
        @Override
        public int handicap(Backend backend) {
          return 0;
        }

        @Override
        public long affinity() {
          return 7;
        }
      };

  private final List<ServerSpec> specs =
      List.of(server(1, true, 1), server(2, false, 1), server(3, true, 2));
  private ServerGroup group = group(BalanceConfig.DEFAULTS);

  ServerGroupTest() {
    group.backends().forEach(ServerGroupTest::up);
  }

  private static ServerSpec server(int port, boolean primary, int tier) {
    return new ServerSpec(new ServerAddress("127.0.0.1", port), primary, 1, tier);
  }

  private ServerGroup group(BalanceConfig config) {
    return new ServerGroup(
        specs,
        config,
        spec ->
            new Backend(
                spec.address(),
                new BackendConfig(spec.primary(), false, 10, 10, 1, Duration.ZERO, 0)));
  }

  private static void up(Backend backend) {
    backend.health().beginProbe();
    backend.health().onCheckPassed();
  }

  private void down(int port) {
    backend(port).health().onDown(new ConnectException("stopped by the test"));
  }

  private Backend backend(int port) {
    return group.backends().get(port - 1);
  }

  private int chosen() {
    Backend best = group.choose(any -> true, ANY);
    return best == null ? 0 : best.address().port();
  }

  @Test
  void theSecondTierIsNotUsedWhileTheFirstHasAServer() {
    down(1);
    assertThat(chosen()).isEqualTo(2);
  }

  @Test
  void theSecondTierIsUsedIfTheFirstHasNoServer() {
    down(1);
    down(2);
    assertThat(chosen()).isEqualTo(3);
  }

  @Test
  void aSuspectServerOfTheFirstTierIsUsedAfterOneOfTheSecondThatIsUp() {
    down(1);
    backend(2).health().onCheckLate("it is silent");
    assertThat(chosen()).isEqualTo(3);
    down(3);
    assertThat(chosen()).isEqualTo(2);
  }

  @Test
  void noServerIsChosenIfNoneIsUsable() {
    down(1);
    down(2);
    down(3);
    assertThat(chosen()).isZero();
  }

  @Test
  void anIneligibleServerIsNotChosen() {
    assertThat(group.choose(one -> one.address().port() == 3, ANY)).isSameAs(backend(3));
  }

  @Test
  void readsPreferReplicasIfSoConfigured() {
    group = group(Records.with(BalanceConfig.DEFAULTS, "reads", Reads.REPLICAS));
    group.backends().forEach(ServerGroupTest::up);
    for (int i = 0; i < 10; i++) {
      assertThat(chosen()).isEqualTo(2);
    }
    down(2);
    assertThat(chosen()).isEqualTo(1);
  }

  @Test
  void writesGoToTheFirstPrimaryThatIsUp() {
    assertThat(group.primary()).isSameAs(backend(1));
    down(1);
    assertThat(group.primary()).isSameAs(backend(3));
  }

  @Test
  void writesGoToASuspectPrimaryIfNoneIsUp() {
    down(1);
    backend(3).health().onCheckLate("it is silent");
    assertThat(group.primary()).isSameAs(backend(3));
  }

  @Test
  void allOperationsOfAKeyGoToOneServerWhileItIsUp() {
    Backend first = group.serverForKey(any -> true, 7);
    for (int i = 0; i < 10; i++) {
      assertThat(group.serverForKey(any -> true, 7)).isSameAs(first);
    }
  }

  @Test
  void aServerThatStaysIsKeptByAReload() {
    Backend first = backend(1);
    group.replace(List.of(server(1, true, 1), server(4, false, 1)));
    assertThat(backend(1)).isSameAs(first);
    assertThat(first.isUp()).isTrue();
  }

  @Test
  void aRemovedServerIsDrainedAndReported() {
    Backend second = backend(2);
    List<Backend> removed = new ArrayList<>();
    group.onRemoved(removed::add);
    group.replace(List.of(server(1, true, 1)));
    assertThat(removed).contains(second);
    assertThat(second.health().isDrained()).isTrue();
  }

  @Test
  void anAddedServerIsReported() {
    List<Backend> added = new ArrayList<>();
    group.onAdded(added::add);
    assertThat(added).hasSize(3);
    group.replace(List.of(server(1, true, 1), server(4, false, 1)));
    assertThat(added.get(3)).isSameAs(backend(2));
  }

  @Test
  void aServerWithAnotherRoleIsAnotherServer() {
    Backend second = backend(2);
    group.replace(List.of(server(1, true, 1), server(2, true, 1)));
    assertThat(backend(2)).isNotSameAs(second);
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.freshness;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.ldap.csn.Position;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How often it is looked whom what a server has told answers. */
class ReadIndexTest {
  private static final Object SERVER = new Object();

  private final Queue<Runnable> posted = new ArrayDeque<>();
  private final CoherenceLease lease = new CoherenceLease(Duration.ZERO, () -> 0);
  private final LeaseRenewer renewer =
      new LeaseRenewer(posted::add, () -> Set.of(SERVER), (server, receiver) -> {}, lease, () -> 0);
  private final ReadIndex reads = new ReadIndex(loop(), lease, renewer, () -> 0, () -> 0);
  private final List<Boolean> results = new ArrayList<>();

  /** Does nothing by itself; timers never end. */
  private EventExecutor loop() {
    return (EventExecutor)
        Proxy.newProxyInstance(
            ReadIndexTest.class.getClassLoader(),
            new Class<?>[] {EventExecutor.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("execute")) {
                posted.add((Runnable) arguments[0]);
              }
              return null;
            });
  }

  private static Position at(int count) {
    return Position.of(Map.of("x#1", String.format(Locale.ROOT, "%09d", count)));
  }

  private void run() {
    while (!posted.isEmpty()) {
      posted.remove().run();
    }
  }

  @Test
  void changesWithoutAProofScheduleNoCheck() {
    lease.setWritable(Set.of(SERVER));
    run();
    for (int i = 1; i <= 1_000; i++) {
      lease.onApplied(at(i));
    }
    assertThat(posted).isEmpty();
  }

  @Test
  void aProofIsCheckedAtOnce() {
    lease.setWritable(Set.of(SERVER));
    reads.await(7, results::add);
    run();
    assertThat(results).isEmpty();
    for (int i = 1; i <= 10; i++) {
      lease.onApplied(at(i));
      lease.onPosition(SERVER, i, at(i));
    }
    assertThat(posted).hasSize(1);
    run();
    assertThat(results).containsExactly(true);
    lease.onPosition(SERVER, 11, at(10));
    assertThat(posted).hasSize(1);
  }
}

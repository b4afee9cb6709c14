// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.proxy.ProxyConfig;
import org.junit.jupiter.api.Test;

/** How much direct memory unfinished requests may take. */
class MemoryBudgetTest {
  private static final int MEGABYTE = 1 << 20;
  private static final ProxyConfig CONFIG = TestServers.config(1389).proxy();

  private static int bound(int wanted, int direct) {
    ProxyConfig config = CONFIG.limits(CONFIG.limits().requestMemory(wanted * MEGABYTE));
    return MemoryBudget.within(config, (long) direct * MEGABYTE).limits().requestMemory()
        / MEGABYTE;
  }

  @Test
  void theBudgetIsAtMostHalfOfTheDirectMemory() {
    assertThat(bound(64, 128)).isEqualTo(64);
    assertThat(bound(65, 128)).isEqualTo(64);
    assertThat(bound(1024, 102)).isEqualTo(51);
  }

  @Test
  void theBudgetAlwaysFitsOneRequest() {
    assertThat(bound(64, 6)).isEqualTo(4);
  }

  @Test
  void theDefaultBudgetIsAQuarterOfTheDirectMemory() {
    assertThat(MemoryBudget.within(CONFIG, 32 * MEGABYTE)).isSameAs(CONFIG);
    assertThat(CONFIG.limits().effectiveRequestMemory())
        .isEqualTo(Budgets.ofProcess().directMemory() / 4);
  }
}

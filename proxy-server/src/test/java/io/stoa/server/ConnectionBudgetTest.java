// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.proxy.ProxyConfig;
import io.stoa.server.config.ConfigReader;
import org.junit.jupiter.api.Test;

/** How many clients the limit of open files leaves room for. */
class ConnectionBudgetTest {
  private static final ProxyConfig CONFIG = TestServers.config(1389).proxy();

  private static int clients(long openFiles) {
    return ConnectionBudget.within(CONFIG, openFiles).limits().connections();
  }

  @Test
  void aReserveOfOpenFilesIsLeft() {
    assertThat(clients(260)).isEqualTo(132);
    assertThat(clients(1_024)).isEqualTo(768);
    assertThat(clients(4_096)).isEqualTo(3_072);
    assertThat(clients(20_000)).isEqualTo(18_976);
    assertThat(clients(100)).isEqualTo(50);
  }

  @Test
  void upstreamConnectionsLeaveFilesForClients() {
    assertThat(servers(CONFIG, 260)).isEqualTo(16);
    assertThat(servers(CONFIG, 1_024)).isEqualTo(144);
    assertThat(servers(CONFIG, 20_000)).isEqualTo(912);
    assertThat(servers(CONFIG.limits(CONFIG.limits().connections(100)), 1_024)).isEqualTo(812);
    assertThat(servers(TestServers.config(1389, 1390).proxy(), 1_024)).isEqualTo(72);
  }

  private static int servers(ProxyConfig config, long openFiles) {
    return ConnectionBudget.within(config, openFiles).upstream().maxConnections();
  }

  @Test
  void aPassthroughClientTakesTwoFiles() throws Exception {
    String listen =
        "listen: ['passthrough://127.0.0.1:0']\nupstream: {servers: ['ldaps://127.0.0.1:1']}\n";
    ProxyConfig config = ConfigReader.parse("stoa.yaml", listen).proxy();
    assertThat(ConnectionBudget.within(config, 1_024).limits().connections()).isEqualTo(384);
  }

  @Test
  void onlyChangedLimitsAreWarnedOfAgain() {
    ProxyConfig fewer = CONFIG.limits(CONFIG.limits().connections(100));
    assertThat(Budgets.haveEqualLimits(CONFIG, fewer)).isFalse();
    assertThat(Budgets.haveEqualLimits(fewer, fewer.upstream(CONFIG.upstream()))).isTrue();
  }

  @Test
  void enoughOpenFilesLowerNothing() {
    assertThat(ConnectionBudget.within(CONFIG, 65_536)).isSameAs(CONFIG);
    assertThat(ConnectionBudget.within(CONFIG, 0)).isSameAs(CONFIG);
  }
}

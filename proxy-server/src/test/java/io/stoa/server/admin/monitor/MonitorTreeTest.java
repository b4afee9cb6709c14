// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.coherence.invalidation.DomainStatus;
import io.stoa.server.localtree.TreeEntry;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MonitorTreeTest {
  @Test
  void parentsComeFirstAndNamesOnce() {
    Set<String> known = new HashSet<>();
    for (TreeEntry entry : MonitorSamples.tree(Audience.ADMINISTRATOR).entries(() -> {})) {
      String dn = entry.dn().toLowerCase(Locale.ROOT);
      assertThat(dn.equals("cn=monitor") || known.contains(dn.substring(dn.indexOf(',') + 1)))
          .as(dn)
          .isTrue();
      assertThat(known.add(dn)).as(dn).isTrue();
    }
  }

  @Test
  void theAdministratorSeesEachClient() {
    List<TreeEntry> entries = MonitorSamples.tree(Audience.ADMINISTRATOR).entries(() -> {});
    TreeEntry client = entry(entries, "cn=Connection 7,cn=Connections,cn=Monitor");
    assertThat(client.values("objectClass")).containsExactly("monitorConnection");
    assertThat(client.values("monitorConnectionAuthzDN")).containsExactly("cn=x,dc=y");
    assertThat(client.values("monitorConnectionPeerAddress")).containsExactly("IP=192.0.2.1:50000");
    assertThat(client.values("monitorConnectionOpsPending")).containsExactly("1");
    assertThat(client.values("monitorConnectionMask")).containsExactly("xrT");
    assertThat(entries.get(0).values("connection"))
        .containsExactly("7:20240309050607Z:10:8:r:cn=x,dc=y:0:0:0:7:ip=192.0.2.1");
  }

  @Test
  void theAdministratorSeesClientsAsInLloadd() {
    String parent = "cn=Incoming Connections,cn=Load Balancer,cn=Backends,cn=Monitor";
    TreeEntry client =
        entry(
            MonitorSamples.tree(Audience.ADMINISTRATOR).entries(() -> {}),
            "cn=Connection 7," + parent);
    assertThat(client.values("objectClass")).containsExactly("olmBalancerConnection");
    assertThat(client.values("olmConnectionAuthzDN")).containsExactly("cn=x,dc=y");
    assertThat(client.values("olmConnectionState")).containsExactly("active");
    assertThat(client.values("olmConnectionLocalAddress")).containsExactly("IP=192.0.2.2:636");
  }

  @Test
  void theAdministratorSeesUpstreamConnections() {
    String parent =
        "cn=server 1,cn=tier 1 of directory 2,cn=Backend Tiers,cn=Load Balancer"
            + ",cn=Backends,cn=Monitor";
    TreeEntry connection =
        entry(
            MonitorSamples.tree(Audience.ADMINISTRATOR).entries(() -> {}),
            "cn=Connection 5," + parent);
    assertThat(connection.values("objectClass")).containsExactly("olmBalancerConnection");
    assertThat(connection.values("olmConnectionAuthzDN")).containsExactly("cn=x,dc=y");
    assertThat(connection.values("olmConnectionType")).containsExactly("regular");
    assertThat(connection.values("olmConnectionState")).containsExactly("active");
    assertThat(connection.values("olmConnectionLocalAddress"))
        .containsExactly("IP=192.0.2.2:50001");
    assertThat(connection.values("olmConnectionPeerAddress")).containsExactly("IP=192.0.2.3:389");
    assertThat(connection.values("olmReceivedOps")).containsExactly("9");
    assertThat(connection.values("olmCompletedOps")).containsExactly("6");
    assertThat(connection.values("olmFailedOps")).containsExactly("2");
    assertThat(connection.values("olmPendingOps")).containsExactly("1");
  }

  /** Unconfirmed results are not counted as aborted changes. */
  @Test
  void aFeedHasTheCountersOfItsDomain() {
    TreeEntry feed =
        entry(
            MonitorSamples.tree(Audience.READER).entries(() -> {}), "cn=dc=y,cn=Feeds,cn=Monitor");
    DomainStatus realm = MonitorSamples.feed().domain();
    assertThat(feed.values("stoaFeedChangesAborted")).containsExactly("" + realm.abortedChanges());
    assertThat(feed.values("stoaFeedUpdates")).containsExactly("" + realm.updates());
    assertThat(feed.values("stoaFeedInvalidations")).containsExactly("aborted 9");
    assertThat(feed.values("stoaFeedRightsAdvances")).containsExactly("22");
    assertThat(feed.values("stoaFeedDerivedAdvances")).containsExactly("23");
  }

  @Test
  void aContextWithoutAFeedHasItsReason() {
    TreeEntry none =
        entry(
            MonitorSamples.tree(Audience.READER).entries(() -> {}), "cn=o=old,cn=Feeds,cn=Monitor");
    assertThat(none.values("structuralObjectClass")).containsExactly("stoaFeed");
    assertThat(none.values("stoaFeedMode")).containsExactly("none");
    assertThat(none.values("stoaFeedBound")).containsExactly("5000");
    assertThat(none.values("stoaFeedReason")).containsExactly("why not");
    assertThat(none.values("stoaFeedViews")).isEmpty();
  }

  @Test
  void readersSeeNoConnections() {
    List<TreeEntry> entries = MonitorSamples.tree(Audience.READER).entries(() -> {});
    assertThat(entries).extracting(TreeEntry::dn).noneMatch(dn -> dn.startsWith("cn=Connection "));
    assertThat(entries.get(0).values("connection")).isEmpty();
    List<String> shown = entries.stream().map(TreeEntry::dn).toList();
    assertThat(MonitorSamples.tree(Audience.ADMINISTRATOR).entries(() -> {}))
        .extracting(TreeEntry::dn)
        .containsAll(shown)
        .filteredOn(dn -> !shown.contains(dn))
        .hasSizeGreaterThan(10)
        .allMatch(
            dn ->
                dn.startsWith("cn=Connection ")
                    || dn.matches(
                        "(.*,)?cn=(Failed binds|Networks|Warnings|Digests|Advice),cn=Monitor"));
  }

  @Test
  void otherClientsSeeCountersOnly() {
    List<TreeEntry> entries = MonitorSamples.tree(Audience.ANY_CLIENT).entries(() -> {});
    assertThat(entries)
        .extracting(TreeEntry::dn)
        .contains("cn=Caches,cn=Monitor", "cn=Feeds,cn=Monitor", "cn=Windows,cn=Monitor")
        .noneMatch(dn -> dn.matches("cn=(server|tier) .*"))
        .noneMatch(dn -> dn.matches(".*,cn=(Feeds|Windows|Sharing classes),cn=Monitor"));
    assertThat(entries.get(0).values("upstream_lag")).isEmpty();
    assertThat(entries.get(0).values("upstream_positions")).isEmpty();
    assertThat(entries.get(0).values("filter_cache_hit")).hasSize(1);
  }

  @Test
  void tiersOfSeveralDirectoriesDiffer() {
    assertThat(MonitorSamples.tree(Audience.READER).entries(() -> {}))
        .extracting(TreeEntry::dn)
        .filteredOn(dn -> dn.startsWith("cn=tier "))
        .allMatch(dn -> dn.endsWith(",cn=Backend Tiers,cn=Load Balancer,cn=Backends,cn=Monitor"))
        .extracting(dn -> dn.substring(0, dn.indexOf(',')))
        .containsExactly(
            "cn=tier 1 of directory 1", "cn=tier 2 of directory 1", "cn=tier 1 of directory 2");
  }

  private static TreeEntry entry(List<TreeEntry> entries, String dn) {
    return entries.stream().filter(entry -> entry.dn().equals(dn)).findFirst().orElseThrow();
  }
}

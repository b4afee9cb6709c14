// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import io.stoa.operation.ClientSession;
import io.stoa.operation.FailedBindCounters;
import io.stoa.operation.FailedBindCounters.OfNetwork;
import io.stoa.operation.event.ClientStatus;
import io.stoa.server.localtree.TreeEntry;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Map.Entry;
import java.util.stream.Stream;

/**
 * Entries of client networks below {@code cn=Networks,cn=monitor}, for the administrator: their
 * open connections, and their failed binds. The 100 networks with most connections have an entry,
 * and the 100 with most failed binds.
 *
 * <p>Threading: confined to the thread that builds the answer.
 */
final class NetworkEntries {
  /** Maximum number of networks: 100, as many as have counts of failed binds. */
  private static final int MAX_NETWORKS = 100;

  /** Maximum number of identities of a network: 8, as many as a digest names. */
  private static final int MAX_IDENTITIES = 8;

  private static final String ANONYMOUS = "anonymous";

  private final MonitorSnapshot snapshot;
  private final EntryList entries;

  NetworkEntries(MonitorSnapshot snapshot, EntryList entries) {
    this.snapshot = snapshot;
    this.entries = entries;
  }

  /** Connections of one network. Threading: confined to the thread that builds the answer. */
  private static final class Connections {
    private long number;
    private long received;
    private long executing;
    private final Map<String, Long> identities = new HashMap<>();

    void add(ClientStatus client) {
      number++;
      received += client.received();
      executing += client.executing();
      String identity = client.identity().isEmpty() ? ANONYMOUS : client.identity();
      identities.merge(identity, 1L, Long::sum);
    }

    long number() {
      return number;
    }

    void addTo(TreeEntry entry) {
      entry
          .operational("stoaNetworkConnections", Long.toString(number))
          .operational("stoaNetworkReceived", Long.toString(received))
          .operational("stoaNetworkExecuting", Long.toString(executing))
          .operational(
              "stoaNetworkIdentities",
              identities.entrySet().stream()
                  .sorted(Entry.<String, Long>comparingByValue().reversed())
                  .limit(MAX_IDENTITIES)
                  .map(one -> one.getValue() + " " + one.getKey())
                  .toArray(String[]::new));
    }
  }

  void add() {
    if (!snapshot.showsClients()) {
      return;
    }
    String parent =
        entries.add("Networks", "cn=Monitor", "monitorContainer", "Clients by network.").dn();
    Map<String, Connections> connections = new HashMap<>();
    for (ClientStatus client : snapshot.ofNetworks()) {
      connections.computeIfAbsent(networkOf(client), name -> new Connections()).add(client);
    }
    List<OfNetwork> failed = snapshot.counters().failedBinds().top();
    Map<String, OfNetwork> failures = new HashMap<>();
    failed.forEach(one -> failures.put(one.network(), one));
    names(connections, failed)
        .forEach(
            name -> {
              TreeEntry entry = entries.add(name, parent, "stoaNetwork");
              connections.getOrDefault(name, new Connections()).addTo(entry);
              OfNetwork ofNetwork = failures.get(name);
              if (ofNetwork != null) {
                ClientEntries.addFailedBinds(ofNetwork, entry);
              }
            });
  }

  private static String networkOf(ClientStatus client) {
    return FailedBindCounters.nameOf(ClientSession.networkOf(client.peer().address()));
  }

  private static Stream<String> names(
      Map<String, Connections> connections, List<OfNetwork> failed) {
    Stream<String> connected =
        connections.entrySet().stream()
            .sorted(
                Comparator.comparingLong(
                        (Entry<String, Connections> one) -> one.getValue().number())
                    .reversed())
            .limit(MAX_NETWORKS)
            .map(Entry::getKey);
    return Stream.concat(connected, failed.stream().map(OfNetwork::network)).distinct();
  }
}

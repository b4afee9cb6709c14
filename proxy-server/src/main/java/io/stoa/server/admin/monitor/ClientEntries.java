// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import io.stoa.operation.FailedBindCounters.OfNetwork;
import io.stoa.operation.event.ClientStatus;
import io.stoa.server.admin.action.Action;
import io.stoa.server.localtree.TreeEntry;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Entries of single clients in {@code cn=monitor}. The snapshot contains clients only for the
 * administrator. Threading: confined to the thread that builds the answer.
 */
final class ClientEntries {
  private static final String INCOMING =
      "cn=Incoming Connections,cn=Load Balancer,cn=Backends,cn=Monitor";

  private static final String ROOT = "cn=Monitor";
  private static final String PARENT = "cn=Connections,cn=Monitor";

  private final MonitorSnapshot snapshot;
  private final EntryList entries;

  ClientEntries(MonitorSnapshot snapshot, EntryList entries) {
    this.snapshot = snapshot;
    this.entries = entries;
  }

  void add() {
    snapshot.clients().forEach(this::add);
    if (snapshot.showsClients()) {
      addFailedBinds();
    }
    snapshot.incoming().forEach(this::addIncoming);
  }

  /** Adds a client's entry in the form of lloadd. */
  private void addIncoming(ClientStatus client) {
    TreeEntry entry =
        entries.add("Connection " + client.number(), INCOMING, "olmBalancerConnection");
    entry
        .operational("olmConnectionType", "regular")
        .operational("olmConnectionState", client.executing() > 0 ? "active" : "ready")
        .operational("olmConnectionLocalAddress", local(client.listener()))
        .operational("olmConnectionPeerAddress", address(client.peer().endpoint()))
        .operational("olmPendingOps", Integer.toString(client.executing()))
        .operational("olmReceivedOps", Long.toString(client.received()))
        .operational("olmCompletedOps", Long.toString(client.completed()));
    if (!client.identity().isEmpty()) {
      entry.operational("olmConnectionAuthzDN", client.identity());
    }
    List<Action> actions = snapshot.offers().client(client.number());
    entry.setActions(asLloadd(actions, MonitorSource.EntryActions.DISCONNECT));
  }

  /**
   * Adds lloadd's way to close a connection: the value {@code closing} is written to its state.
   *
   * @param verb Stoa's own action with the same effect
   */
  static List<Action> asLloadd(List<Action> actions, String verb) {
    Stream<Action> closing =
        actions.stream()
            .filter(action -> action.verb().equals(verb))
            .map(action -> new Action("olmConnectionState", "closing", "", action.work()));
    return Stream.concat(actions.stream(), closing).toList();
  }

  private void add(ClientStatus client) {
    String number = Long.toString(client.number());
    TreeEntry entry = entries.add("Connection " + number, PARENT, "monitorConnection");
    entry
        .operational("monitorConnectionNumber", number)
        .operational("monitorConnectionProtocol", "3")
        .operational("monitorConnectionOpsReceived", Long.toString(client.received()))
        .operational("monitorConnectionOpsExecuting", Integer.toString(client.executing()))
        .operational("monitorConnectionOpsPending", Long.toString(pending(client)))
        .operational("monitorConnectionOpsCompleted", Long.toString(client.completed()))
        .operational("stoaConnectionOpsRefused", Long.toString(client.refused()))
        .operational("monitorConnectionOpsAsync", Integer.toString(client.executing()))
        .operational("monitorConnectionMask", mask(client))
        .operational("monitorConnectionListener", client.listener())
        .operational("monitorConnectionPeerDomain", "unknown")
        .operational("monitorConnectionPeerAddress", address(client.peer().endpoint()))
        .operational("monitorConnectionLocalAddress", local(client.listener()))
        .operational("monitorConnectionStartTime", time(client.since()))
        .operational("monitorConnectionActivityTime", time(client.active()));
    if (!client.identity().isEmpty()) {
      entry.operational("monitorConnectionAuthzDN", client.identity());
    }
    entry.setActions(snapshot.offers().client(client.number()));
  }

  /** Adds the client networks with most failed binds. */
  private void addFailedBinds() {
    TreeEntry parent =
        entries.add("Failed binds", ROOT, "monitorContainer", "Client networks with failed binds.");
    for (OfNetwork one : snapshot.counters().failedBinds().top()) {
      addFailedBinds(one, entries.add(one.network(), parent.dn(), "stoaFailedBinds"));
    }
  }

  /** Adds the failed binds of a network to an entry. */
  static void addFailedBinds(OfNetwork one, TreeEntry entry) {
    entry
        .operational("stoaFailedBindsCount", Long.toString(one.count()))
        .operational("stoaFailedBindsResults", results(one))
        .operational("stoaFailedBindsSince", time(one.since()))
        .operational("stoaFailedBindsLast", time(one.last()));
  }

  private static String[] results(OfNetwork one) {
    return one.results().entrySet().stream()
        .map(result -> result.getKey().label() + " " + result.getValue())
        .toArray(String[]::new);
  }

  private static long pending(ClientStatus client) {
    return Math.max(0, client.received() - client.completed() - client.executing());
  }

  /** Returns slapd's letters: x executing, r waiting to read, w waiting to write, T for TLS. */
  private static String mask(ClientStatus client) {
    return (client.executing() > 0 ? "x" : "")
        + (client.readWaiting() ? "r" : "")
        + (client.writeWaiting() ? "w" : "")
        + (client.peer().tls() ? "T" : "");
  }

  private static String local(String url) {
    String address = url.substring(url.indexOf("://") + 3);
    return (address.isEmpty() ? "PATH=" : "IP=") + address;
  }

  /** Returns the address of either end of a connection. */
  static String address(@Nullable SocketAddress end) {
    return end instanceof InetSocketAddress endpoint
        ? "IP=" + bracketed(endpoint.getAddress().getHostAddress()) + ":" + endpoint.getPort()
        : "PATH=";
  }

  private static String bracketed(String host) {
    return host.indexOf(':') < 0 ? host : "[" + host + "]";
  }

  private static String time(Instant time) {
    return TimeForm.GENERALIZED.print(time);
  }

  /** Returns the values of 389's attribute {@code connection}, in the format of its conntable.c. */
  static List<String> values(MonitorSnapshot snapshot) {
    return snapshot.clients().stream().map(ClientEntries::value).toList();
  }

  private static String value(ClientStatus client) {
    InetSocketAddress endpoint = client.peer().endpoint();
    return String.join(
        ":",
        Long.toString(client.number()),
        time(client.since()),
        Long.toString(client.received()),
        Long.toString(client.completed()),
        client.readWaiting() ? "r" : "-",
        client.identity().isEmpty() ? "NULLDN" : client.identity(),
        "0",
        "0",
        "0",
        Long.toString(client.number()),
        endpoint == null ? "local" : "ip=" + endpoint.getAddress().getHostAddress());
  }
}

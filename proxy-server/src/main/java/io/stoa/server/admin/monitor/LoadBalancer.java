// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import io.stoa.metrics.OperationKind;
import io.stoa.operation.Rejection;
import io.stoa.server.admin.action.Action;
import io.stoa.server.localtree.TreeEntry;
import io.stoa.upstream.balancing.TierStatus;
import io.stoa.upstream.connection.ConnectionStatus;
import io.stoa.upstream.server.BackendStatus;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/**
 * Entries of the directory servers, in the form of lloadd. Threading: confined to the thread that
 * builds the answer.
 */
final class LoadBalancer {
  private static final String PARENT = "cn=Backends,cn=Monitor";
  private static final double MICROS = 1000;
  private static final String CONTAINER = "monitorContainer";

  private final MonitorSnapshot snapshot;
  private final EntryList entries;

  LoadBalancer(MonitorSnapshot snapshot, EntryList entries) {
    this.snapshot = snapshot;
    this.entries = entries;
  }

  void add() {
    TreeEntry balancer = entries.add("Load Balancer", PARENT, "olmBalancer");
    addNumber(balancer, "olmIncomingConnections", snapshot.status().connections());
    addNumber(balancer, "olmOutgoingConnections", sum(BackendStatus::connections));
    entries.add("Incoming Connections", balancer.dn(), CONTAINER);
    operations(entries.add("Operations", balancer.dn(), CONTAINER).dn());
    TreeEntry tiers = entries.add("Backend Tiers", balancer.dn(), CONTAINER);
    if (snapshot.showsServers()) {
      tiers(tiers.dn());
    }
  }

  private long sum(ToLongFunction<BackendStatus> value) {
    return snapshot.status().backends().stream().mapToLong(value).sum();
  }

  private void operations(String parent) {
    long binds = snapshot.received(OperationKind.BIND);
    long bindsEnded = snapshot.completed(OperationKind.BIND);
    long bindsSent = sum(BackendStatus::clientBinds);
    Stream<Rejection> reasons = Stream.of(Rejection.values());
    Counts ofBinds = new Counts(binds, bindsSent, bindsEnded);
    Counts ofOthers =
        new Counts(
            snapshot.received() - binds,
            sum(BackendStatus::operations) - bindsSent,
            snapshot.completed() - bindsEnded);
    reasons.forEach(
        reason -> {
          long refused = snapshot.counters().rejectedBinds().get(reason);
          ofBinds.moveRejected(reason, refused);
          ofOthers.moveRejected(reason, snapshot.counters().rejections().get(reason) - refused);
        });
    ofBinds.addTo(entries.add("Bind", parent, "olmBalancerOperation"));
    ofOthers.addTo(entries.add("Other", parent, "olmBalancerOperation"));
  }

  /**
   * Counters of one kind of operations. Threading: confined to the thread that builds the answer.
   */
  private static final class Counts {
    private final long received;
    private final long forwarded;
    private long completed;
    private long rejected;
    private long failed;

    Counts(long received, long forwarded, long completed) {
      this.received = received;
      this.forwarded = forwarded;
      this.completed = completed;
    }

    /**
     * Moves operations that no server answered from completed to rejected, or to failed if they
     * were lost.
     */
    void moveRejected(Rejection reason, long count) {
      completed -= count;
      rejected += reason.isAfterSending() ? 0 : count;
      failed += reason.isAfterSending() ? count : 0;
    }

    void addTo(TreeEntry entry) {
      addNumber(entry, "olmReceivedOps", received);
      addNumber(entry, "olmForwardedOps", forwarded);
      addNumber(entry, "olmRejectedOps", rejected);
      addNumber(entry, "olmCompletedOps", completed);
      addNumber(entry, "olmFailedOps", failed);
    }
  }

  private void tiers(String parent) {
    List<List<TierStatus>> directories = snapshot.status().directories();
    for (int i = 0; i < directories.size(); i++) {
      String suffix = directories.size() == 1 ? "" : " of directory " + (i + 1);
      for (TierStatus tier : directories.get(i)) {
        String dn = entries.add("tier " + tier.number() + suffix, parent, CONTAINER).dn();
        servers(tier.backends(), dn);
      }
    }
  }

  private void servers(List<BackendStatus> backends, String tier) {
    for (int i = 0; i < backends.size(); i++) {
      BackendStatus backend = backends.get(i);
      TreeEntry entry = entries.add("server " + (i + 1), tier, "olmBalancerServer");
      server(backend, entry);
      snapshot.outgoing(backend.address()).forEach(one -> connection(one, entry.dn()));
    }
  }

  private void server(BackendStatus backend, TreeEntry entry) {
    long completed = Math.max(0, backend.operations() - backend.outstanding());
    entry
        .operational("olmServerURI", backend.address().toString())
        .operational("health-check-state", backend.state().name())
        .operational("health-check-message", backend.reason());
    addNumber(entry, "olmActiveConnections", backend.living());
    addNumber(
        entry, "olmPendingConnections", Math.max(0, backend.connections() - backend.living()));
    addNumber(entry, "olmPendingOps", backend.outstanding());
    addNumber(entry, "olmReceivedOps", backend.operations());
    addNumber(entry, "olmCompletedOps", Math.max(0, completed - backend.operationsLost()));
    addNumber(entry, "olmFailedOps", backend.operationsLost());
    addStoaAttributes(backend, entry);
  }

  private void connection(ConnectionStatus connection, String server) {
    TreeEntry entry =
        entries.add("Connection " + connection.number(), server, "olmBalancerConnection");
    entry
        .operational("olmConnectionType", connection.type())
        .operational("olmConnectionState", connection.state())
        .operational("olmConnectionLocalAddress", ClientEntries.address(connection.local()))
        .operational("olmConnectionPeerAddress", ClientEntries.address(connection.peer()));
    addNumber(entry, "olmPendingOps", connection.pending());
    addNumber(entry, "olmReceivedOps", connection.sent());
    addNumber(entry, "olmCompletedOps", connection.completed());
    addNumber(entry, "olmFailedOps", connection.failed());
    if (!connection.identity().isEmpty()) {
      entry.operational("olmConnectionAuthzDN", connection.identity());
    }
    List<Action> actions = snapshot.offers().connection(connection.number());
    entry.setActions(ClientEntries.asLloadd(actions, MonitorSource.EntryActions.CLOSE));
  }

  /** Adds attributes that lloadd does not have. */
  private void addStoaAttributes(BackendStatus backend, TreeEntry entry) {
    entry.operational("stoaServerRole", backend.primary() ? "primary" : "replica");
    addNumber(entry, "stoaServerWeight", backend.fullWeight());
    addNumber(entry, "stoaServerLatency", Math.round(backend.latencyMillis() * MICROS));
    addNumber(entry, "stoaServerEjections", backend.ejections());
    if (backend.places().ofConnection() > 0) {
      addNumber(entry, "stoaServerConnectionCap", backend.places().ofConnection());
    }
    if (!backend.replica().position().isEmpty()) {
      addNumber(entry, "stoaServerLag", backend.replica().lagMillis());
    }
    if (snapshot.showsClients()) {
      entry.setActions(snapshot.offers().server(backend.address()));
    }
  }

  private static void addNumber(TreeEntry entry, String name, long value) {
    entry.operational(name, Long.toString(value));
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.monitor;

import io.stoa.ldap.protocol.RequestOp;
import io.stoa.operation.Operation;
import io.stoa.operation.event.ClientChoice;
import io.stoa.operation.event.ClientEvent;
import io.stoa.operation.event.ClientStatus;
import io.stoa.server.admin.action.Modification;
import io.stoa.server.admin.monitor.ClientSelection.Parent;
import io.stoa.server.localtree.AnswerQueue.CancellationCheck;
import io.stoa.server.localtree.Tree;
import io.stoa.server.localtree.TreeAnswer;
import io.stoa.server.localtree.TreeAnswer.ComputedAnswer;
import io.stoa.server.localtree.TreeEntry;
import io.stoa.upstream.connection.ConnectionStatus;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;

/**
 * The answer to one operation on {@code cn=monitor} or on a name below it. Threading: event loop.
 */
final class MonitorAnswer {
  private static final int INVALID_CREDENTIALS = 49;
  private static final int INSUFFICIENT_ACCESS_RIGHTS = 50;
  private static final int UNWILLING_TO_PERFORM = 53;

  private static final CompletableFuture<List<ConnectionStatus>> NONE =
      CompletableFuture.completedFuture(List.of());

  private final Operation operation;
  private final RequestOp op;
  private final TreeAnswer answer;
  private final MonitorSource source;

  MonitorAnswer(Operation operation, MonitorSource source) {
    this.operation = operation;
    this.op = operation.request().op();
    this.answer = new TreeAnswer(operation);
    this.source = source;
  }

  void begin() {
    switch (operation.type()) {
      case BIND_REQUEST -> answer.complete(INVALID_CREDENTIALS, "");
      case SEARCH_REQUEST -> {
        source.counters().events().increment(ClientEvent.OWN_SEARCH);
        read();
      }
      case COMPARE_REQUEST -> read();
      case MODIFY_REQUEST -> runAction();
      default ->
          answer.complete(UNWILLING_TO_PERFORM, MonitorTree.SUFFIX.name() + " cannot be changed");
    }
  }

  private void read() {
    survey(
        source.audience().apply(operation.session()),
        (tree, cancellation) -> {
          ComputedAnswer found =
              answer.compute(
                  new Tree(
                      MonitorTree.SUFFIX,
                      OpenLdapSchema.KINDS,
                      () -> tree.entries(cancellation::check)),
                  cancellation);
          return () -> answer.send(found);
        });
  }

  /**
   * Runs an action of the administrator. Other clients are refused, as no entry offers them
   * actions.
   */
  private void runAction() {
    if (source.audience().apply(operation.session()) != Audience.ADMINISTRATOR) {
      source.actions().refuse(operation, MonitorTree.SUFFIX.name(), INSUFFICIENT_ACCESS_RIGHTS);
      return;
    }
    List<Modification> changes = Modification.of(operation.message().copyOp());
    byte[] target = Objects.requireNonNull(op.target());
    survey(
        Audience.ADMINISTRATOR,
        (tree, cancellation) -> {
          Optional<TreeEntry> entry =
              tree.entries(cancellation::check).stream()
                  .filter(one -> one.isNamed(target))
                  .findFirst();
          return () -> runAction(entry, changes);
        });
  }

  private void runAction(Optional<TreeEntry> entry, List<Modification> changes) {
    source
        .actions()
        .submit(
            operation,
            entry.map(TreeEntry::dn).orElse(""),
            entry.map(TreeEntry::entryActions).orElse(null),
            changes);
  }

  /** Collects clients and connections from all event loops, then computes the answer. */
  private void survey(
      Audience audience, BiFunction<MonitorTree, CancellationCheck, Runnable> find) {
    Selections selections = Selections.of(audience, op);
    source
        .answers()
        .submit(
            operation,
            () -> selections.survey(source),
            (surveyed, cancellation) ->
                find.apply(selections.tree(source, surveyed), cancellation));
  }

  /**
   * The clients and connections that the answer can concern.
   *
   * <p>Threading: immutable.
   *
   * @param audience rights of the client that receives them
   */
  private record Selections(
      Audience audience,
      ClientSelection clients,
      ClientSelection incoming,
      ClientSelection networks,
      ClientSelection servers,
      ClientSelection digests,
      ClientSelection advice) {
    static Selections of(Audience audience, RequestOp op) {
      return new Selections(
          audience,
          new ClientSelection(op, Parent.CONNECTIONS),
          new ClientSelection(op, Parent.INCOMING),
          new ClientSelection(op, Parent.NETWORKS),
          new ClientSelection(op, Parent.SERVERS),
          new ClientSelection(op, Parent.DIGESTS),
          new ClientSelection(op, Parent.ADVICE));
    }

    /** Collects their states. */
    CompletableFuture<ClientsAndConnections> survey(MonitorSource source) {
      boolean administrator = audience == Audience.ADMINISTRATOR;
      ClientChoice choice =
          administrator
              ? clients.choice().and(incoming.choice()).and(networks.choice())
              : ClientChoice.NONE;
      return source
          .survey()
          .take(choice)
          .thenCombine(
              administrator ? source.connections().apply(servers.choice()) : NONE,
              ClientsAndConnections::new);
    }

    MonitorTree tree(MonitorSource source, ClientsAndConnections surveyed) {
      return new MonitorTree(
          new MonitorSnapshot(
              source,
              audience,
              new MonitorSnapshot.Details(
                  clients.select(surveyed.clients()),
                  incoming.select(surveyed.clients()),
                  networks.select(surveyed.clients()),
                  surveyed.outgoing(),
                  audience == Audience.ADMINISTRATOR
                      ? source.digests().apply(digests.isAnyReached())
                      : List.of(),
                  audience == Audience.ADMINISTRATOR && advice.isAnyReached()
                      ? source.advice().get()
                      : null)));
    }
  }

  /** The clients and connections that the event loops reported. Threading: immutable. */
  private record ClientsAndConnections(
      List<ClientStatus> clients, List<ConnectionStatus> outgoing) {}
}

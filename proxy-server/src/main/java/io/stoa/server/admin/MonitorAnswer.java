// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin;

import io.stoa.connection.ConnectionStatus;
import io.stoa.ldap.LdapProtocolException;
import io.stoa.operation.Operation;
import io.stoa.origin.ClientChoice;
import io.stoa.server.action.Modification;
import io.stoa.server.admin.ClientReach.Parent;
import io.stoa.server.tree.Tree;
import io.stoa.server.tree.TreeAnswer;
import io.stoa.server.tree.TreeEntry;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The answer to one operation on {@code cn=monitor} or on a name below it. Event-loop confined. */
final class MonitorAnswer {
  private static final Logger LOG = LoggerFactory.getLogger(MonitorAnswer.class);
  private static final int MANY = 200;

  /** Assertions of a filter up to which the event loop evaluates it. */
  private static final int FEW = 8;

  private static final int INVALID_CREDENTIALS = 49;
  private static final int INSUFFICIENT_ACCESS_RIGHTS = 50;
  private static final int UNWILLING_TO_PERFORM = 53;
  private static final int OTHER = 80;

  private static final CompletableFuture<List<ConnectionStatus>> NONE =
      CompletableFuture.completedFuture(List.of());

  private final Operation operation;
  private final TreeAnswer answer;
  private final MonitorSource source;

  MonitorAnswer(Operation operation, MonitorSource source) throws LdapProtocolException {
    this.operation = operation;
    this.answer = new TreeAnswer(operation);
    this.source = source;
  }

  void give() throws LdapProtocolException {
    switch (operation.type()) {
      case BIND_REQUEST -> answer.complete(INVALID_CREDENTIALS, "");
      case SEARCH_REQUEST -> {
        source.counters().ownSearch();
        read();
      }
      case COMPARE_REQUEST -> read();
      case MODIFY_REQUEST -> act();
      default ->
          answer.complete(UNWILLING_TO_PERFORM, MonitorTree.SUFFIX.name() + " cannot be changed");
    }
  }

  private void read() throws LdapProtocolException {
    survey(
        source.audience().apply(operation.session()),
        entries ->
            answer.find(
                new Tree(MonitorTree.SUFFIX, OpenLdapSchema.KINDS, session -> entries.get())),
        answer::give);
  }

  /** For others nothing is there that could be told to do anything. */
  private void act() throws LdapProtocolException {
    if (source.audience().apply(operation.session()) != Audience.ADMINISTRATOR) {
      source.actions().refuse(operation, MonitorTree.SUFFIX.name(), INSUFFICIENT_ACCESS_RIGHTS);
      return;
    }
    List<Modification> changes = Modification.of(operation.message().copyOp());
    byte[] target = Objects.requireNonNull(operation.request().op().target());
    survey(
        Audience.ADMINISTRATOR,
        entries -> entries.get().stream().filter(entry -> entry.isNamed(target)).findFirst(),
        entry -> act(entry, changes));
  }

  private void act(Optional<TreeEntry> entry, List<Modification> changes) {
    source
        .actions()
        .take(
            operation,
            entry.map(TreeEntry::dn).orElse(""),
            entry.map(TreeEntry::offered).orElse(null),
            changes);
  }

  /**
   * The other event loops are asked first how their clients and connections are. With many entries,
   * or a filter of many assertions, another thread finds the answer.
   */
  private <T> void survey(
      Audience audience, Function<Supplier<List<TreeEntry>>, T> find, Consumer<T> then)
      throws LdapProtocolException {
    boolean named = audience == Audience.ADMINISTRATOR;
    ClientReach reach = new ClientReach(operation.request().op(), Parent.CONNECTIONS);
    ClientReach ofIncoming = new ClientReach(operation.request().op(), Parent.INCOMING);
    ClientReach ofServers = new ClientReach(operation.request().op(), Parent.SERVERS);
    Executor loop = operation.session().executor();
    source
        .survey()
        .take(named ? reach.choice().and(ofIncoming.choice()) : ClientChoice.NOBODY)
        .thenCombineAsync(
            named ? source.connections().apply(ofServers.choice()) : NONE,
            (all, outgoing) ->
                new MonitorSnapshot(source, audience, reach.of(all), ofIncoming.of(all), outgoing),
            loop)
        .thenCompose(
            snapshot ->
                CompletableFuture.supplyAsync(
                    () -> find.apply(new MonitorTree(snapshot)::entries),
                    isLarge(snapshot) || answer.terms() > FEW
                        ? ForkJoinPool.commonPool()
                        : Runnable::run))
        .thenAcceptAsync(then, loop)
        .exceptionally(this::failed);
  }

  private static boolean isLarge(MonitorSnapshot snapshot) {
    return snapshot.size() > MANY;
  }

  private @Nullable Void failed(Throwable defect) {
    LOG.error("cn=monitor could not be read", defect);
    operation.session().executor().execute(() -> answer.complete(OTHER, ""));
    return null;
  }
}

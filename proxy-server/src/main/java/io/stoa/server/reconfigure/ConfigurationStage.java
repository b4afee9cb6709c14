// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.reconfigure;

import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.OpType;
import io.stoa.ldap.schema.NormalDn;
import io.stoa.ldap.schema.ServerProfile;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationCounters;
import io.stoa.operation.OperationState;
import io.stoa.operation.Stage;
import io.stoa.operation.event.ClientEvent;
import io.stoa.server.admin.action.Action;
import io.stoa.server.admin.action.Actions;
import io.stoa.server.admin.action.Audit;
import io.stoa.server.admin.action.Author;
import io.stoa.server.admin.action.Modification;
import io.stoa.server.localtree.AnswerQueue;
import io.stoa.server.localtree.Tree;
import io.stoa.server.localtree.TreeAnswer;
import io.stoa.server.localtree.TreeEntry;
import io.stoa.server.reconfigure.ConfigurationTree.Values;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers the administrator's operations on {@code cn=configuration} and on names below it, and
 * refuses those of other clients. All other operations pass on.
 *
 * <p>Threading: event loop.
 */
public final class ConfigurationStage implements Stage {
  private static final Logger LOG = LoggerFactory.getLogger(ConfigurationStage.class);

  private static final int SUCCESS = 0;
  private static final int CRITICAL_EXTENSION = 12;
  private static final int INSUFFICIENT_ACCESS_RIGHTS = 50;
  private static final int OTHER = 80;

  private final Stage next;
  private final OperationCounters counters;
  private final @Nullable RuntimeConfiguration runtime;
  private final List<Action> offered;
  private final Actions actions;
  private final Supplier<List<String>> logLevels;
  private final AnswerQueue answers;
  private final Audit audit = new Audit(LOG);

  /**
   * The actions of Stoa as a whole.
   *
   * <p>Threading: immutable.
   *
   * @param list actions on offer
   * @param actions runs them
   * @param logLevels returns a line for each part of Stoa with its log level
   */
  public record ProcessActions(
      List<Action> list, Actions actions, Supplier<List<String>> logLevels) {}

  /**
   * Creates the stage before {@code next}.
   *
   * @param runtime null if Stoa runs without a configuration file
   * @param offered actions of Stoa as a whole
   * @param answers computes answers off the event loops
   */
  public ConfigurationStage(
      Stage next,
      OperationCounters counters,
      @Nullable RuntimeConfiguration runtime,
      ProcessActions offered,
      AnswerQueue answers) {
    this.next = next;
    this.counters = counters;
    this.runtime = runtime;
    this.offered = List.copyOf(offered.list());
    this.actions = offered.actions();
    this.logLevels = offered.logLevels();
    this.answers = answers;
  }

  @Override
  public void handle(Operation operation) {
    boolean bind = operation.type() == OpType.BIND_REQUEST;
    if (bind || !ConfigurationTree.SUFFIX.covers(operation)) {
      next.handle(operation);
      return;
    }
    if (operation.type() == OpType.SEARCH_REQUEST) {
      counters.events().increment(ClientEvent.OWN_SEARCH);
    }
    if (!operation.session().identity().isAdministrator()) {
      complete(operation, INSUFFICIENT_ACCESS_RIGHTS, "");
    } else {
      answer(operation);
    }
  }

  private void answer(Operation operation) {
    switch (operation.type()) {
      case SEARCH_REQUEST, COMPARE_REQUEST -> read(operation);
      case MODIFY_REQUEST -> modify(operation);
      default ->
          refuse(operation, "entries of cn=configuration cannot be added, deleted or renamed");
    }
  }

  private void read(Operation operation) {
    if (!TreeAnswer.refusesLarge(operation)) {
      Tree tree = new Tree(ConfigurationTree.SUFFIX, this::entries);
      new TreeAnswer(operation).read(tree, answers);
    }
  }

  private List<TreeEntry> entries() {
    Values values = runtime == null ? Values.NONE : runtime.values();
    return new ConfigurationTree(values, offered, logLevels.get()).entries();
  }

  private void modify(Operation operation) {
    Optional<String> entry = entry(Objects.requireNonNull(operation.request().op().target()));
    List<Modification> changes = Modification.of(operation.message().copyOp());
    if (entry.isPresent() && Actions.containsAction(changes)) {
      boolean allKeys = entry.get().equals(Attribute.ALL_KEYS);
      actions.submit(operation, entry.get(), allKeys ? offered : List.of(), changes);
    } else if (operation.request().controls().stream().anyMatch(Control::critical)) {
      complete(operation, CRITICAL_EXTENSION, "unsupported control");
    } else if (entry.isEmpty()) {
      complete(operation, ConfigurationChangeException.NO_SUCH_OBJECT, "");
    } else if (runtime == null) {
      refuse(operation, "Stoa runs without a configuration file");
    } else {
      modify(operation, runtime, entry.get(), changes);
    }
  }

  private void modify(
      Operation operation, RuntimeConfiguration runtime, String entry, List<Modification> changes) {
    KeyModification change = new KeyModification(operation, entry, changes, Author.of(operation));
    operation.moveTo(OperationState.WAITING);
    if (!runtime.submit(() -> change(change, runtime), () -> drop(change))) {
      complete(
          operation, ConfigurationChangeException.BUSY, "too many changes are queued; retry later");
    }
  }

  /** A Modify request. Threading: immutable. */
  private record KeyModification(
      Operation operation, String entry, List<Modification> changes, Author author) {
    String attributes() {
      return changes.stream()
          .map(Modification::attribute)
          .distinct()
          .collect(Collectors.joining(", "));
    }
  }

  private static Optional<String> entry(byte[] dn) {
    NormalDn requested = NormalDn.of(dn, ServerProfile.EXACT);
    return ConfigurationTree.names().stream()
        .filter(
            name -> {
              byte[] octets = name.getBytes(StandardCharsets.UTF_8);
              NormalDn ownDn = NormalDn.of(octets, ServerProfile.EXACT);
              return ownDn.isBelowOrEqual(requested) && requested.isBelowOrEqual(ownDn);
            })
        .findFirst();
  }

  /** Makes a change. Called on the thread for changes. */
  private void change(KeyModification change, RuntimeConfiguration runtime) {
    int code = SUCCESS;
    String diagnostic = "";
    try {
      log(change, runtime.modify(change.entry(), change.changes()));
    } catch (ConfigurationChangeException e) {
      code = e.code();
      diagnostic = String.valueOf(e.getMessage());
      audit.logRefusal(change.entry(), code, diagnostic, change.author());
    } catch (RuntimeException e) {
      LOG.error("configuration change failed: internal error", e);
      code = OTHER;
    }
    int result = code;
    String text = diagnostic;
    Operation operation = change.operation();
    operation.session().executor().execute(() -> answer(operation, result, text));
  }

  /** Refuses a change that is still in the queue when Stoa closes. */
  private void drop(KeyModification change) {
    String reason = "Stoa shuts down; the change was not made";
    audit.logRefusal(
        change.entry(), ConfigurationChangeException.UNAVAILABLE, reason, change.author());
    Operation operation = change.operation();
    operation
        .session()
        .executor()
        .execute(() -> answer(operation, ConfigurationChangeException.UNAVAILABLE, reason));
  }

  private void log(KeyModification change, List<String> lines) {
    if (lines.isEmpty()) {
      String nothing = ": no value has changed";
      audit.logChange("configuration: " + change.attributes() + nothing, change.author());
    }
    lines.forEach(line -> audit.logChange("configuration: " + line, change.author()));
  }

  private void refuse(Operation operation, String reason) {
    complete(operation, ConfigurationChangeException.UNWILLING_TO_PERFORM, reason);
  }

  /** Refuses an operation. Refused writes are logged. */
  private void complete(Operation operation, int code, String diagnostic) {
    if (operation.type() != OpType.SEARCH_REQUEST && operation.type() != OpType.COMPARE_REQUEST) {
      audit.logRefusal("cn=configuration", code, diagnostic, Author.of(operation));
    }
    answer(operation, code, diagnostic);
  }

  private static void answer(Operation operation, int code, String diagnostic) {
    operation.sink().complete(LdapResult.encode(operation.type().response(), code, diagnostic));
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.action;

import io.stoa.ldap.protocol.Control;
import io.stoa.ldap.protocol.LdapResult;
import io.stoa.ldap.protocol.Oids;
import io.stoa.operation.Operation;
import io.stoa.operation.OperationState;
import io.stoa.server.admin.action.Action.ActionResult;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the actions of the administrator, one after the other, and answers each when it is done.
 *
 * <p>Threading: thread-safe; actions run on one thread of their own.
 */
public final class Actions implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Actions.class);

  private static final int SUCCESS = 0;
  private static final int MAX_WAITING = 128;
  private static final int IDLE_SECONDS = 10;

  /** Controls that do not change the effect of an action. */
  private static final Set<String> KNOWN_CONTROLS =
      Set.of(Oids.MANAGE_DSA_IT, Oids.SESSION_TRACKING);

  private final Audit audit = new Audit(LOG);
  private final ThreadPoolExecutor thread =
      new ThreadPoolExecutor(
          1,
          1,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new ArrayBlockingQueue<>(MAX_WAITING),
          Actions::thread);

  /** Creates the queue. Its thread starts with the first action. */
  public Actions() {
    thread.allowCoreThreadTimeOut(true);
  }

  private static Thread thread(Runnable work) {
    Thread thread = new Thread(work, "stoa-actions");
    thread.setDaemon(true);
    return thread;
  }

  /** True if a change names the attribute to which verbs are written. */
  public static boolean containsAction(List<Modification> changes) {
    return changes.stream().anyMatch(change -> isVerb(change.attribute()));
  }

  private static boolean isVerb(String attribute) {
    return attribute.equalsIgnoreCase(Action.ATTRIBUTE);
  }

  /**
   * Runs the action of a Modify request of the administrator. Called on the session's event loop.
   *
   * @param entry name of the entry, for the log
   * @param offered actions of the entry; null if the entry does not exist
   */
  public void submit(
      Operation operation,
      String entry,
      @Nullable List<Action> offered,
      List<Modification> changes) {
    if (operation.hasEnded()) {
      return; // the client has abandoned it
    }
    try {
      check(operation);
      if (offered == null) {
        throw ActionException.noSuchObject("");
      }
      ActionRequest request = request(operation, entry, offered, changes);
      operation.moveTo(OperationState.WAITING);
      thread.execute(request::run);
    } catch (ActionException e) {
      refuse(operation, entry, e.code(), String.valueOf(e.getMessage()));
    } catch (RejectedExecutionException full) {
      refuse(operation, entry, ActionException.BUSY, "too many actions are queued; retry later");
    }
  }

  /** Refuses an operation for lack of rights, and logs a line. */
  public void refuse(Operation operation, String entry, int code) {
    refuse(operation, entry, code, "");
  }

  private void refuse(Operation operation, String entry, int code, String message) {
    audit.logRefusal(entry, code, message, Author.of(operation));
    complete(operation, code, message);
  }

  private static void check(Operation operation) throws ActionException {
    if (operation.request().controls().stream().anyMatch(Actions::isRefused)) {
      throw new ActionException(ActionException.CRITICAL_EXTENSION, "unsupported control");
    }
  }

  private static boolean isRefused(Control control) {
    return control.critical() && !KNOWN_CONTROLS.contains(control.oid());
  }

  private ActionRequest request(
      Operation operation, String entry, List<Action> offered, List<Modification> changes)
      throws ActionException {
    for (Modification change : changes) {
      String name = change.attribute();
      if (!isVerb(name)
          && offered.stream().noneMatch(one -> one.attribute().equalsIgnoreCase(name))) {
        throw new ActionException(
            ActionException.UNDEFINED_ATTRIBUTE_TYPE, name + ": attribute type undefined");
      }
    }
    if (offered.isEmpty()) {
      throw ActionException.unwilling("this entry has no actions");
    }
    if (changes.size() != 1 || !isOneValue(changes.get(0))) {
      throw ActionException.invalidArgument(
          Action.ATTRIBUTE
              + ": add or replace exactly one value; the actions are: "
              + forms(offered));
    }
    return chosen(operation, entry, offered, changes.get(0));
  }

  private static boolean isOneValue(Modification change) {
    boolean written =
        change.operation() == Modification.ADD || change.operation() == Modification.REPLACE;
    return written && change.values().size() == 1;
  }

  private ActionRequest chosen(
      Operation operation, String entry, List<Action> offered, Modification change)
      throws ActionException {
    String text = change.values().get(0).strip();
    Action action =
        offered.stream()
            .filter(one -> one.isNamedBy(change.attribute(), text))
            .max(Comparator.comparingInt(one -> one.verb().length()))
            .orElseThrow(() -> unknown(change, offered));
    String argument = text.substring(action.verb().length()).strip();
    if (action.argument().isEmpty() && !argument.isEmpty()) {
      throw unknown(change, offered);
    }
    return new ActionRequest(operation, entry, action, argument);
  }

  private static ActionException unknown(Modification change, List<Action> offered) {
    return ActionException.invalidArgument(
        change.attribute() + ": unknown action; the actions are: " + forms(offered));
  }

  private static String forms(List<Action> offered) {
    return offered.stream()
        .filter(one -> isVerb(one.attribute()))
        .map(Action::form)
        .collect(Collectors.joining(", "));
  }

  private static void complete(Operation operation, int code, String diagnostic) {
    operation.sink().complete(LdapResult.encode(operation.type().response(), code, diagnostic));
  }

  /** One action to run. Threading: the action thread, after construction. */
  private final class ActionRequest {
    private final Operation operation;
    private final String entry;
    private final Action action;
    private final String argument;
    private final Author author;

    ActionRequest(Operation operation, String entry, Action action, String argument) {
      this.operation = operation;
      this.entry = entry;
      this.action = action;
      this.argument = argument;
      this.author = Author.of(operation);
    }

    /** Runs the action. Log lines do not contain the argument, as it may name clients. */
    void run() {
      try {
        ActionResult done = action.work().run(argument);
        String oneLine = done.message().replace("\n", "; ").replace('\t', ' ');
        audit.logChange(entry + ": " + action.verb() + ": " + oneLine, author);
        answer(SUCCESS, done.message(), done.afterResponse());
      } catch (ActionException e) {
        audit.logRefusal(
            entry + ": " + action.verb(), e.code(), String.valueOf(e.getMessage()), author);
        answer(e.code(), String.valueOf(e.getMessage()), () -> {});
      } catch (RuntimeException e) {
        LOG.error("{}: {} by {} failed: internal error", entry, action.verb(), author, e);
        answer(ActionException.OTHER, "", () -> {});
      }
    }

    private void answer(int code, String message, Runnable after) {
      try {
        operation.session().executor().execute(() -> answerNow(code, message, after));
      } catch (RejectedExecutionException ended) {
        LOG.info("action not answered: Stoa is shutting down");
      }
    }

    private void answerNow(int code, String message, Runnable after) {
      complete(operation, code, message);
      after.run();
    }
  }

  /** Stops the thread. Actions in the queue are not run. */
  @Override
  public void close() {
    thread.shutdownNow();
  }
}

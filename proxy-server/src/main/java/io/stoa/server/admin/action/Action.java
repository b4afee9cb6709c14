// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.action;

/**
 * A command that an administrator can run on an entry of Stoa's own trees.
 *
 * <p>Threading: immutable.
 *
 * @param attribute attribute to which the command is written
 * @param verb name of the command
 * @param argument description of the argument, for users; empty if the command takes none
 * @param work runs the command
 */
public record Action(String attribute, String verb, String argument, Work work) {
  /** The attribute to which verbs are written. */
  public static final String ATTRIBUTE = "stoaAction";

  /** The attribute that lists the actions of an entry. */
  public static final String OFFERED = "stoaActions";

  /** Creates an action without an argument. */
  public static Action of(String verb, Work work) {
    return new Action(ATTRIBUTE, verb, "", work);
  }

  /** Creates an action with an argument. */
  public static Action of(String verb, String argument, Work work) {
    return new Action(ATTRIBUTE, verb, argument, work);
  }

  /** Runs an action. Called on the action thread; may block for a bounded time. */
  @FunctionalInterface
  public interface Work {
    /** Runs the action with the text behind the verb. */
    ActionResult run(String argument) throws ActionException;
  }

  /**
   * Result of an action.
   *
   * <p>Threading: immutable.
   *
   * @param message lines for users; one line for most actions
   * @param afterResponse runs on the session's event loop after the response was written
   */
  public record ActionResult(String message, Runnable afterResponse) {
    /** Creates a result with nothing to run afterwards. */
    public ActionResult(String message) {
      this(message, () -> {});
    }
  }

  /** Returns the form for users: the verb and its argument. */
  public String form() {
    return argument.isEmpty() ? verb : verb + " " + argument;
  }

  /** True if a value of an attribute names this action, with any argument. */
  boolean isNamedBy(String name, String text) {
    return attribute.equalsIgnoreCase(name) && (text.equals(verb) || text.startsWith(verb + " "));
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.action;

/**
 * Something that an entry can be told to do. Immutable.
 *
 * @param attribute to which its name is written
 * @param verb its name
 * @param argument what stands behind the verb, for people; empty if nothing may
 * @param work does it
 */
public record Action(String attribute, String verb, String argument, Work work) {
  /** The attribute to which verbs are written. */
  public static final String ATTRIBUTE = "stoaAction";

  /** The attribute that shows what an entry can do. */
  public static final String OFFERED = "stoaActions";

  /** One that takes no argument. */
  public static Action of(String verb, Work work) {
    return new Action(ATTRIBUTE, verb, "", work);
  }

  /** One that takes an argument. */
  public static Action of(String verb, String argument, Work work) {
    return new Action(ATTRIBUTE, verb, argument, work);
  }

  /** Does something; may take a while, but not for ever. Called on the thread of actions. */
  @FunctionalInterface
  public interface Work {
    /** Does it with what stands behind the verb. */
    Done on(String argument) throws ActionException;
  }

  /**
   * What was done. Immutable.
   *
   * @param message one line for people
   * @param after is run when the answer is on its way
   */
  public record Done(String message, Runnable after) {
    /** Nothing is left to be done. */
    public Done(String message) {
      this(message, () -> {});
    }
  }

  /** As people write it. */
  public String form() {
    return argument.isEmpty() ? verb : verb + " " + argument;
  }

  /** Whether a text says this, with whatever argument. */
  boolean isMeant(String name, String text) {
    return attribute.equalsIgnoreCase(name) && (text.equals(verb) || text.startsWith(verb + " "));
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.action;

/**
 * Thrown when an action was not done. Carries the result code for the client. Threading: immutable.
 */
public final class ActionException extends Exception {
  static final int CRITICAL_EXTENSION = 12;
  static final int UNDEFINED_ATTRIBUTE_TYPE = 17;
  static final int INVALID_ATTRIBUTE_SYNTAX = 21;
  static final int NO_SUCH_OBJECT = 32;
  static final int BUSY = 51;
  static final int UNWILLING_TO_PERFORM = 53;
  static final int OTHER = 80;

  private static final long serialVersionUID = 1L;

  private final int code;

  /**
   * Creates the exception.
   *
   * @param code result code of RFC 4511, section 4.1.9
   */
  public ActionException(int code, String message) {
    super(message, null, false, false);
    this.code = code;
  }

  /** Returns the exception for an invalid argument. */
  public static ActionException invalidArgument(String message) {
    return new ActionException(INVALID_ATTRIBUTE_SYNTAX, message);
  }

  /** Returns the exception for a target that no longer exists. */
  public static ActionException noSuchObject(String message) {
    return new ActionException(NO_SUCH_OBJECT, message);
  }

  /** Returns the exception for an action that is impossible at present. */
  public static ActionException unwilling(String message) {
    return new ActionException(UNWILLING_TO_PERFORM, message);
  }

  int code() {
    return code;
  }
}

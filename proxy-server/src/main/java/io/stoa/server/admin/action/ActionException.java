// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.action;

/** An action that was not done, and with what result. Immutable. */
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
   * Makes it.
   *
   * @param code of RFC 4511, section 4.1.9
   */
  public ActionException(int code, String message) {
    super(message, null, false, false);
    this.code = code;
  }

  /** What stands behind the verb is no argument of it. */
  public static ActionException argument(String message) {
    return new ActionException(INVALID_ATTRIBUTE_SYNTAX, message);
  }

  /** What is meant is not there any more. */
  public static ActionException gone(String message) {
    return new ActionException(NO_SUCH_OBJECT, message);
  }

  /** It cannot be done now. */
  public static ActionException notNow(String message) {
    return new ActionException(UNWILLING_TO_PERFORM, message);
  }

  int code() {
    return code;
  }
}

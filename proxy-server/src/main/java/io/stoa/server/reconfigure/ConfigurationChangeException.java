// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.reconfigure;

/**
 * Thrown when a change is refused. Carries the result code for the client. Threading: immutable.
 */
final class ConfigurationChangeException extends Exception {
  static final int NO_SUCH_ATTRIBUTE = 16;
  static final int UNDEFINED_ATTRIBUTE_TYPE = 17;
  static final int CONSTRAINT_VIOLATION = 19;
  static final int ATTRIBUTE_OR_VALUE_EXISTS = 20;
  static final int INVALID_ATTRIBUTE_SYNTAX = 21;
  static final int NO_SUCH_OBJECT = 32;
  static final int BUSY = 51;
  static final int UNAVAILABLE = 52;
  static final int UNWILLING_TO_PERFORM = 53;
  static final int OBJECT_CLASS_VIOLATION = 65;

  private static final long serialVersionUID = 1L;

  private final int code;

  /**
   * Creates the exception.
   *
   * @param code result code of RFC 4511, section 4.1.9
   */
  ConfigurationChangeException(int code, String message) {
    super(message, null, false, false);
    this.code = code;
  }

  int code() {
    return code;
  }
}

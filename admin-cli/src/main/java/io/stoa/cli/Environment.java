// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The environment of a command.
 *
 * <p>Threading: immutable.
 *
 * @param variables environment variables of the process
 * @param interactive true if standard output is a terminal that understands control sequences
 */
public record Environment(Map<String, String> variables, boolean interactive) {
  static final String URI = "STOACTL_URI";
  static final String PASSWORD = "STOACTL_PASSWORD";

  /** Variable that makes an internal error of stoactl print its stack trace. */
  static final String DEBUG = "STOACTL_DEBUG";

  /**
   * Returns the environment of this process. The launcher script sets the property that says
   * whether there is a terminal.
   */
  static Environment ofProcess() {
    String terminal = System.getenv().getOrDefault("TERM", "dumb");
    return new Environment(
        System.getenv(), Boolean.getBoolean("stoactl.terminal") && !terminal.equals("dumb"));
  }

  @Nullable String variable(String name) {
    String value = variables.get(name);
    return value == null || value.isEmpty() ? null : value;
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a command finds around it. Immutable.
 *
 * @param variables of the process
 * @param interactive whether standard output is a terminal that understands control sequences
 */
public record Environment(Map<String, String> variables, boolean interactive) {
  static final String URI = "STOACTL_URI";
  static final String PASSWORD = "STOACTL_PASSWORD";

  /** That of this process; whether it has a terminal, the shell that has started it knows. */
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

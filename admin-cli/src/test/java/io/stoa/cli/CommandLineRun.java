// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;

/**
 * A command that was run to its end in this process. Immutable.
 *
 * @param out what it wrote to standard output
 * @param err what it wrote to standard error
 */
record CommandLineRun(int code, String out, String err) {
  static CommandLineRun of(String... arguments) {
    return of(Map.of(), arguments);
  }

  static CommandLineRun of(Map<String, String> variables, String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        Stoactl.run(
            new Environment(variables, false),
            new PrintWriter(out, true),
            new PrintWriter(err, true),
            arguments);
    return new CommandLineRun(code, out.toString(), err.toString());
  }
}

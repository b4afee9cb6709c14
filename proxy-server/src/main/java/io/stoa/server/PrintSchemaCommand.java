// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.stoa.server.config.SchemaPrinter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code stoa print-schema}. Threading: one instance for each run. */
@Command(
    name = "print-schema",
    description = "Prints the JSON Schema (draft-07) of the configuration file, for editors.")
final class PrintSchemaCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Override
  public Integer call() {
    spec.commandLine().getOut().print(SchemaPrinter.print());
    spec.commandLine().getOut().flush();
    return ExitCode.OK.code();
  }
}

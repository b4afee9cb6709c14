// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.stoa.server.config.DefaultsPrinter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code stoa print-defaults}. Threading: one instance for each run. */
@Command(
    name = "print-defaults",
    description = "Prints every configuration key with its default and its meaning, as YAML.")
final class PrintDefaultsCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  @Override
  public Integer call() {
    spec.commandLine().getOut().print(DefaultsPrinter.print());
    spec.commandLine().getOut().flush();
    return ExitCode.OK.code();
  }
}

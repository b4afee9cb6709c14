// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import io.stoa.cli.client.StoactlExitCode;
import io.stoa.cli.output.Report;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParentCommand;

/** {@code stoactl completion}. Threading: one instance for each run. */
@Command(
    name = "completion",
    description = "Prints a script that lets bash complete commands: source <(stoactl completion)")
final class CompletionCommand implements Callable<Integer> {
  @ParentCommand
  @SuppressWarnings("NullAway.Init")
  private Stoactl stoactl;

  @Override
  public Integer call() {
    String script = CompletionNames.bash(Stoactl.commandLine(stoactl.environment()));
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("script", script);
    stoactl.print(new Report(json, List.of(script)));
    return StoactlExitCode.DONE.code();
  }
}

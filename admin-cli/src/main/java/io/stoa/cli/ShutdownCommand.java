// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import io.stoa.cli.client.StoaClient;
import io.stoa.cli.client.StoaException;
import io.stoa.cli.client.StoactlExitCode;
import io.stoa.cli.output.Report;
import io.stoa.cli.output.Terminal;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParentCommand;

/** {@code stoactl shutdown}. Threading: one instance for each run. */
@Command(
    name = "shutdown",
    description = "Shuts Stoa down, as SIGTERM does: operations in flight end first.")
final class ShutdownCommand implements Callable<Integer> {
  @ParentCommand
  @SuppressWarnings("NullAway.Init")
  private Stoactl stoactl;

  @Option(names = "--yes", description = "Do not ask for confirmation.")
  private boolean yes;

  @Override
  public Integer call() throws StoaException {
    return stoactl.run(this::shutDown);
  }

  private Report shutDown(StoaClient client) throws StoaException {
    String endpoint = client.endpoint().toString();
    if (!yes && !isMeant(endpoint)) {
      throw StoaException.refused("nothing was done");
    }
    return Report.done("shutdown", endpoint, client.act(ConfigCommand.ENTRY, "shutdown"));
  }

  private static boolean isMeant(String endpoint) throws StoaException {
    try {
      return Terminal.confirm("Shut down the Stoa at " + endpoint + "? [y/N] ");
    } catch (IOException e) {
      throw new StoaException(StoactlExitCode.USAGE, "no terminal for confirmation: use --yes");
    }
  }
}

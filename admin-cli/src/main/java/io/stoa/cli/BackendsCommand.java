// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import io.stoa.cli.client.Backends;
import io.stoa.cli.client.EntryValues;
import io.stoa.cli.client.StoaException;
import io.stoa.cli.output.Report;
import io.stoa.cli.output.Shapes;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code stoactl backends}. Threading: one instance for each run. */
@Command(
    name = "backends",
    description = "Shows and steers the directory servers behind Stoa.",
    addMethodSubcommands = false)
final class BackendsCommand {
  private static final String SERVER = "Its URL, or its number in the list.";

  @ParentCommand
  @SuppressWarnings("NullAway.Init")
  private Stoactl stoactl;

  @Command(name = "list", description = "Prints all servers.")
  int list() throws StoaException {
    return stoactl.run(client -> Shapes.BACKENDS.all(Backends.read(client)));
  }

  @Command(name = "show", description = "Prints all that is known of a server.")
  int show(@Parameters(paramLabel = "SERVER", description = SERVER) String server)
      throws StoaException {
    return stoactl.run(client -> Shapes.BACKENDS.one(Backends.find(client, server)));
  }

  @Command(
      name = "drain",
      description = "Gives a server nothing new, and lets it end what it has. Survives a restart.")
  int drain(@Parameters(paramLabel = "SERVER", description = SERVER) String server)
      throws StoaException {
    return act(server, "drain");
  }

  @Command(name = "resume", description = "Uses a drained server again. Survives a restart.")
  int resume(@Parameters(paramLabel = "SERVER", description = SERVER) String server)
      throws StoaException {
    return act(server, "resume");
  }

  @Command(
      name = "reconnect",
      description = "Makes all connections to a server anew, each when it has nothing to do.")
  int reconnect(@Parameters(paramLabel = "SERVER", description = SERVER) String server)
      throws StoaException {
    return act(server, "reconnect");
  }

  @Command(name = "weight", description = "Gives a server another share. Survives a restart.")
  int weight(
      @Parameters(paramLabel = "SERVER", description = SERVER) String server,
      @Parameters(paramLabel = "N", description = "Its weight.") int weight)
      throws StoaException {
    return act(server, "weight " + weight);
  }

  private int act(String server, String action) throws StoaException {
    return stoactl.run(
        client -> {
          EntryValues found = Backends.find(client, server);
          String message = client.act(found.dn(), action);
          return Report.done(action, Backends.url(found), message);
        });
  }
}

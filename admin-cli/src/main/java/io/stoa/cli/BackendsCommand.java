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
    description = "Shows and controls the directory servers behind Stoa.",
    addMethodSubcommands = false)
final class BackendsCommand {
  private static final String SERVER = "URL of the server, or its number in the list.";

  @ParentCommand
  @SuppressWarnings("NullAway.Init")
  private Stoactl stoactl;

  @Command(name = "list", description = "Prints all servers.")
  int list() throws StoaException {
    return stoactl.run(client -> Shapes.BACKENDS.all(Backends.read(client)));
  }

  @Command(name = "show", description = "Prints all details of a server.")
  int show(@Parameters(paramLabel = "SERVER", description = SERVER) String server)
      throws StoaException {
    return stoactl.run(client -> Shapes.BACKENDS.one(Backends.find(client, server)));
  }

  @Command(
      name = "drain",
      description =
          "Drains a server: operations in flight end, no new ones are sent. Survives "
              + "a restart.")
  int drain(@Parameters(paramLabel = "SERVER", description = SERVER) String server)
      throws StoaException {
    return act(server, "drain");
  }

  @Command(
      name = "resume",
      description = "Puts a drained server back into use. Survives a restart.")
  int resume(@Parameters(paramLabel = "SERVER", description = SERVER) String server)
      throws StoaException {
    return act(server, "resume");
  }

  @Command(
      name = "reconnect",
      description = "Replaces all connections to a server, each when it is idle.")
  int reconnect(@Parameters(paramLabel = "SERVER", description = SERVER) String server)
      throws StoaException {
    return act(server, "reconnect");
  }

  @Command(name = "weight", description = "Sets a server's share of the load. Survives a restart.")
  int weight(
      @Parameters(paramLabel = "SERVER", description = SERVER) String server,
      @Parameters(paramLabel = "N", description = "Weight, from 1.") int weight)
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

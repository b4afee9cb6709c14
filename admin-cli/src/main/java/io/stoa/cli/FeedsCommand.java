// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import io.stoa.cli.client.EntryValues;
import io.stoa.cli.client.StoaClient;
import io.stoa.cli.client.StoaException;
import io.stoa.cli.output.Shapes;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code stoactl feeds}. Threading: one instance for each run. */
@Command(name = "feeds", description = "Shows the change feeds.", addMethodSubcommands = false)
final class FeedsCommand {
  private static final String PARENT = "cn=Feeds,cn=monitor";
  private static final String FEED = "(objectClass=stoaFeed)";

  @ParentCommand
  @SuppressWarnings("NullAway.Init")
  private Stoactl stoactl;

  @Command(
      name = "list",
      description = "Prints the change feeds, and the naming contexts without one.")
  int list() throws StoaException {
    return stoactl.run(client -> Shapes.FEEDS.all(all(client)));
  }

  @Command(name = "show", description = "Prints all details of a change feed.")
  int show(
      @Parameters(paramLabel = "NAME", description = "Naming context of the feed.") String name)
      throws StoaException {
    return stoactl.run(client -> Shapes.FEEDS.one(named(client, name)));
  }

  /** Returns all feeds, and the naming contexts without one. */
  static List<EntryValues> all(StoaClient client) throws StoaException {
    return client.below(PARENT, FEED, "*", "+");
  }

  private static EntryValues named(StoaClient client, String name) throws StoaException {
    return all(client).stream()
        .filter(feed -> name.equalsIgnoreCase(feed.name()))
        .findFirst()
        .orElseThrow(() -> StoaException.refused("there is no feed for " + name));
  }
}

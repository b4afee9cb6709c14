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

/** {@code stoactl classes}. Threading: one instance for each run. */
@Command(
    name = "classes",
    description = "Shows the sharing classes, whose members share cached results.",
    addMethodSubcommands = false)
final class ClassesCommand {
  /** Base of the search. The parent entry of the classes exists only if there are classes. */
  private static final String PARENT = "cn=monitor";

  private static final String CLASS = "(objectClass=stoaSharingClass)";

  @ParentCommand
  @SuppressWarnings("NullAway.Init")
  private Stoactl stoactl;

  @Command(name = "list", description = "Prints all sharing classes and their states.")
  int list() throws StoaException {
    return stoactl.run(client -> Shapes.CLASSES.all(all(client)));
  }

  @Command(name = "show", description = "Prints all details of a sharing class.")
  int show(
      @Parameters(paramLabel = "NAME", description = "Its name in the configuration.") String name)
      throws StoaException {
    return stoactl.run(client -> Shapes.CLASSES.one(named(client, name)));
  }

  private static List<EntryValues> all(StoaClient client) throws StoaException {
    return client.below(PARENT, CLASS, "*", "+");
  }

  private static EntryValues named(StoaClient client, String name) throws StoaException {
    return all(client).stream()
        .filter(one -> name.equalsIgnoreCase(one.name()))
        .findFirst()
        .orElseThrow(() -> StoaException.refused("there is no sharing class " + name));
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import io.stoa.cli.client.StoaException;
import io.stoa.cli.output.Report;
import io.stoa.cli.output.Shapes;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code stoactl cache}. Threading: one instance for each run. */
@Command(
    name = "cache",
    description = "Shows and controls the caches.",
    addMethodSubcommands = false)
final class CacheCommand {
  static final String ENTRY = "cn=Caches,cn=monitor";
  private static final String KEY = "cache.enabled";

  @ParentCommand
  @SuppressWarnings("NullAway.Init")
  private Stoactl stoactl;

  Stoactl stoactl() {
    return stoactl;
  }

  @Command(name = "stats", description = "Prints the contents and hit ratios of the caches.")
  int stats() throws StoaException {
    return stoactl.run(client -> Shapes.CACHE.one(client.entry(ENTRY, "+")));
  }

  @Command(name = "on", description = "Switches caching on. Survives a restart.")
  int on() throws StoaException {
    return enable("true", "caching is on");
  }

  @Command(
      name = "off",
      description = "Switches caching off: all requests go to the directory. Survives a restart.")
  int off() throws StoaException {
    return enable("false", "caching is off");
  }

  @Command(
      name = "restore",
      description = "Restores a demoted sharing class: its members share cached results again.")
  int restore(
      @Parameters(paramLabel = "NAME", description = "Name of the sharing class.") String name)
      throws StoaException {
    String action = "restore class " + name;
    return stoactl.run(client -> Report.done(action, "cache", client.act(ENTRY, action)));
  }

  private int enable(String value, String message) throws StoaException {
    return stoactl.run(
        client -> {
          client.replace(ConfigCommand.ENTRY, ConfigCommand.attribute(KEY), List.of(value));
          return Report.done("set", KEY, message);
        });
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import io.stoa.cli.client.StoaException;
import io.stoa.cli.output.Report;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code stoactl config}. Not thread-safe: one for each run. */
@Command(
    name = "config",
    description = "Shows and changes the configuration.",
    addMethodSubcommands = false)
final class ConfigCommand {
  static final String ENTRY = "cn=Stoa,cn=configuration";
  private static final String PREFIX = "stoa-";
  private static final String KEY = "As in the file, such as cache.maxAge.";

  @ParentCommand
  @SuppressWarnings("NullAway.Init")
  private Stoactl stoactl;

  /** The attribute that stands for a key. */
  static String attribute(String key) {
    return PREFIX + key.replace('.', '-');
  }

  @Command(name = "get", description = "Prints keys and their values as they are now.")
  int get(
      @Parameters(paramLabel = "KEY", arity = "0..*", description = KEY + " Default: all keys.")
          List<String> keys)
      throws StoaException {
    List<String> wanted = keys == null ? List.of() : keys;
    return stoactl.run(client -> Configuration.now(client).report(wanted));
  }

  @Command(
      name = "set",
      description =
          "Gives a key another value while Stoa runs; a list has several. Survives a restart.")
  int set(
      @Parameters(paramLabel = "KEY", description = KEY) String key,
      @Parameters(paramLabel = "VALUE", arity = "1..*", description = "As in the file.")
          List<String> values)
      throws StoaException {
    return change("set", key, values);
  }

  @Command(name = "unset", description = "Gives a key the value of the file again.")
  int unset(@Parameters(paramLabel = "KEY", description = KEY) String key) throws StoaException {
    return change("unset", key, List.of());
  }

  private int change(String action, String key, List<String> values) throws StoaException {
    return stoactl.run(
        client -> {
          Configuration before = Configuration.now(client);
          before.mustHave(key);
          client.replace(ENTRY, attribute(key), values);
          List<String> now = Configuration.now(client).values(key);
          return Report.done(action, key, key + " is " + Configuration.show(now));
        });
  }

  @Command(name = "diff", description = "Prints what differs from the file.")
  int diff() throws StoaException {
    return stoactl.run(
        client -> Configuration.now(client).differences(Configuration.ofFile(client)));
  }

  @Command(
      name = "reload",
      description = "Reads the file again, as SIGHUP does: all of it or, with a mistake, nothing.")
  int reload() throws StoaException {
    return stoactl.run(
        client -> Report.done("reload", "configuration", client.act(ENTRY, "reload")));
  }
}

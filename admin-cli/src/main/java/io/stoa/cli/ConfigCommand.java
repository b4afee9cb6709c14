// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import io.stoa.cli.client.StoaClient;
import io.stoa.cli.client.StoaException;
import io.stoa.cli.output.Report;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code stoactl config}. Threading: one instance for each run. */
@Command(
    name = "config",
    description = "Shows and changes the configuration.",
    addMethodSubcommands = false)
final class ConfigCommand {
  static final String ENTRY = "cn=Stoa,cn=configuration";
  private static final String PREFIX = "stoa-";
  private static final String KEY = "Key as in the configuration file, such as cache.maxAge.";

  @ParentCommand
  @SuppressWarnings("NullAway.Init")
  private Stoactl stoactl;

  /** Returns the attribute for a key. */
  static String attribute(String key) {
    return PREFIX + key.replace('.', '-');
  }

  @Command(name = "get", description = "Prints the present values of keys.")
  int get(
      @Parameters(paramLabel = "KEY", arity = "0..*", description = KEY + " Default: all keys.")
          List<String> keys)
      throws StoaException {
    List<String> requested = keys == null ? List.of() : keys;
    return stoactl.run(client -> Configuration.now(client).report(requested));
  }

  @Command(
      name = "set",
      description =
          "Sets a key while Stoa runs; a list takes any number of values. Survives a restart.")
  int set(
      @Parameters(paramLabel = "KEY", description = KEY) String key,
      @Parameters(
              paramLabel = "VALUE",
              arity = "0..*",
              description = "Value as in the configuration file.")
          List<String> values,
      @Option(names = "--empty", description = "Set an empty list.") boolean empty)
      throws StoaException {
    List<String> newValues = values == null ? List.of() : values;
    if (newValues.isEmpty() != empty) {
      throw stoactl.usageError("a value or --empty is required, not both");
    }
    return empty
        ? change("set", key, (client, now) -> clear(client, now, key))
        : replace("set", key, newValues);
  }

  /** Deletes all values of a list. Replacing them by none would restore the file's values. */
  private static void clear(StoaClient client, Configuration now, String key) throws StoaException {
    now.requireList(key);
    List<String> values = now.values(key);
    if (!values.isEmpty()) {
      client.delete(ENTRY, attribute(key), values);
    }
  }

  @Command(
      name = "unset",
      description = "Removes a change, so that the file's value applies again.")
  int unset(@Parameters(paramLabel = "KEY", description = KEY) String key) throws StoaException {
    return replace("unset", key, List.of());
  }

  /** Replaces the values of a key. A key that only the file contains is left to Stoa to refuse. */
  private int replace(String action, String key, List<String> values) throws StoaException {
    return change(
        action,
        key,
        (client, now) -> {
          if (!now.isInFileOnly(key)) {
            now.requireKey(key);
          }
          client.replace(ENTRY, attribute(key), values);
        });
  }

  /** A change, given the present configuration. Threading: stateless. */
  private interface KeyChange {
    void make(StoaClient client, Configuration now) throws StoaException;
  }

  private int change(String action, String key, KeyChange change) throws StoaException {
    return stoactl.run(
        client -> {
          change.make(client, Configuration.now(client));
          List<String> now = Configuration.now(client).values(key);
          return Report.done(action, key, key + " is " + Configuration.show(now));
        });
  }

  @Command(
      name = "diff",
      description =
          "Prints keys whose values differ between two or three of --running, --file and "
              + "--defaults. Default: --running --file. Secrets are never shown.")
  int diff(
      @Option(names = "--running", description = "Show the present values.") boolean running,
      @Option(names = "--file", description = "Show the values of the file as last read.")
          boolean file,
      @Option(names = "--defaults", description = "Show the defaults.") boolean defaults)
      throws StoaException {
    boolean none = !running && !file && !defaults;
    int chosen = (running ? 1 : 0) + (file ? 1 : 0) + (defaults ? 1 : 0);
    if (chosen == 1) {
      throw stoactl.usageError(
          "config diff compares two or three of --running, --file, --defaults");
    }
    return stoactl.run(
        client -> {
          Configuration now = Configuration.now(client);
          Map<String, Configuration> columns = new LinkedHashMap<>();
          if (defaults) {
            columns.put("default", Configuration.defaults(client));
          }
          if (file || none) {
            columns.put("file", Configuration.ofFile(client));
          }
          if (running || none) {
            columns.put("now", now);
          }
          return now.differences(columns);
        });
  }

  @Command(
      name = "reload",
      description =
          "Reloads the configuration file, as SIGHUP does. A file with a mistake "
              + "changes nothing.")
  int reload(
      @Option(
              names = "--dry-run",
              description =
                  "Check the file and print what a reload would change; change nothing. Exit "
                      + "code 1: a reload would refuse the file.")
          boolean dryRun)
      throws StoaException {
    return stoactl.run(
        client ->
            dryRun
                ? ReloadPreviewView.report(client.act(ENTRY, "reload dry-run"))
                : Report.done("reload", "configuration", client.act(ENTRY, "reload")));
  }
}

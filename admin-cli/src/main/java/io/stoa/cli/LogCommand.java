// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import io.stoa.cli.client.StoaClient;
import io.stoa.cli.client.StoaException;
import io.stoa.cli.output.Printable;
import io.stoa.cli.output.Report;
import io.stoa.cli.output.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;

/** {@code stoactl log}. Threading: one instance for each run. */
@Command(
    name = "log",
    description = "Shows the last warnings, and shows and changes log levels.",
    addMethodSubcommands = false)
final class LogCommand {
  private static final String LEVELS = "stoaLogLevel";
  private static final String WARNINGS = "cn=Warnings,cn=monitor";
  private static final String WARNING = "stoaWarning";
  private static final List<String> COLUMNS = List.of("part", "level", "source");

  @ParentCommand
  @SuppressWarnings("NullAway.Init")
  private Stoactl stoactl;

  /** Returns the lines of the levels: part, level and source. */
  static List<String> lines(StoaClient client) throws StoaException {
    return client.entry(ConfigCommand.ENTRY, LEVELS).values(LEVELS);
  }

  @Command(
      name = "list",
      description =
          "Prints the log level of each part of Stoa. The source is default, configured "
              + "(log.levels), set, or the time until which the level is set.")
  int list() throws StoaException {
    return stoactl.run(client -> report(lines(client)));
  }

  @Command(
      name = "warnings",
      description = "Prints the last warnings and errors of the log, at most 50, the newest first.")
  int warnings() throws StoaException {
    return stoactl.run(client -> warnings(client.entry(WARNINGS, WARNING).ordered(WARNING)));
  }

  private static Report warnings(List<String> lines) {
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("warnings", lines);
    return new Report(json, lines.stream().map(Printable::of).toList());
  }

  private static Report report(List<String> lines) {
    TextTable table = new TextTable().row(COLUMNS);
    List<Map<String, String>> levels = new ArrayList<>();
    for (String line : lines) {
      List<String> words = List.of(Printable.of(line).split(" "));
      Map<String, String> level = new LinkedHashMap<>();
      for (int i = 0; i < COLUMNS.size() && i < words.size(); i++) {
        level.put(COLUMNS.get(i), words.get(i));
      }
      levels.add(level);
      table.row(words);
    }
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("levels", levels);
    return new Report(json, table.lines());
  }

  @Command(
      name = "set",
      description =
          "Sets the log level of a part of Stoa until a reset or a restart. Stoa logs no "
              + "passwords at any level.")
  int set(
      @Parameters(
              paramLabel = "PART",
              description = "Part as in the list, such as feed, or a logger below io.stoa.")
          String part,
      @Parameters(paramLabel = "LEVEL", description = "error, warn, info, debug or trace.")
          String level,
      @Option(
              names = "--for",
              paramLabel = "TIME",
              description = "Time after which the level ends, such as 10m; at most 24h.")
          @Nullable String time)
      throws StoaException {
    String action = "log set " + part + " " + level + (time == null ? "" : " " + time);
    return act("log set", part, action);
  }

  @Command(name = "reset", description = "Ends all levels of 'stoactl log set'.")
  int reset() throws StoaException {
    return act("log reset", "log", "log reset");
  }

  private int act(String name, String target, String action) throws StoaException {
    return stoactl.run(
        client -> Report.done(name, target, client.act(ConfigCommand.ENTRY, action)));
  }
}

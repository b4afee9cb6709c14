// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What an experiment leaves behind in a directory: table.md, charts, the environment, and the
 * latencies of each phase. Not thread-safe.
 */
public final class Report {
  private static final double[] PERCENTS = {50, 90, 99, 99.9, 100};

  private final String name;
  private final Path directory;
  private final List<Table> tables = new ArrayList<>();
  private final Map<String, Chart> charts = new TreeMap<>();
  private final List<String> notes = new ArrayList<>();
  private final Table latencies =
      new Table(
          "Latencies in microseconds",
          "phase",
          "request",
          "users",
          "without mistake",
          "mistakes",
          "a second",
          "p50",
          "p90",
          "p99",
          "p99.9",
          "most");

  Report(String name, Path directory) {
    this.name = name;
    this.directory = directory;
  }

  /** A new table, at the end of those that are there. */
  public Table table(String title, String... header) {
    Table table = new Table(title, header);
    tables.add(table);
    return table;
  }

  /** A new chart, in a file of this name. */
  public Chart chart(String file, String title, String x, String y, List<String> points) {
    Chart chart = new Chart(title, x, y, points);
    charts.put(file, chart);
    return chart;
  }

  /** A remark under the tables. */
  public void note(String text) {
    notes.add(text);
  }

  void latencies(Outcome outcome) {
    outcome
        .byName()
        .forEach(
            (request, summary) -> {
              List<Object> row = new ArrayList<>();
              row.addAll(List.of(outcome.label(), request, outcome.users()));
              row.addAll(List.of(summary.ok(), summary.mistakes(), Math.round(summary.rate())));
              for (double percent : PERCENTS) {
                row.add(summary.micros().getValueAtPercentile(percent));
              }
              latencies.row(row.toArray());
            });
  }

  /** Writes all files, and returns the text of table.md. */
  String write() {
    String text =
        String.format(Locale.ROOT, "# %s%n%n", name)
            + tables.stream().map(Table::markdown).collect(Collectors.joining("\n"))
            + notes.stream().map(note -> "\n" + note + "\n").collect(Collectors.joining());
    file("table.md", text);
    file("latencies.md", latencies.markdown());
    file("environment.txt", String.join("\n", Environment.lines()) + "\n");
    charts.forEach((file, chart) -> file(file + ".svg", chart.svg()));
    return text;
  }

  private void file(String file, String text) {
    try {
      Files.createDirectories(directory);
      Files.writeString(directory.resolve(file), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

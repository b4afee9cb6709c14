// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.run;

import io.stoa.loadtest.chart.Chart;
import io.stoa.loadtest.chart.DrawCharts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The results of an experiment in a directory: table.md, its chart, the environment, and the
 * latencies of each phase.
 *
 * <p>Threading: not thread-safe.
 */
public final class Report {
  private static final String LONG_KEPT = "maxAge: 1h";
  private static final double[] PERCENTS = {50, 90, 99, 99.9, 100};

  private final String name;
  private final Path directory;
  private final List<Table> tables = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private final List<String> failures = new ArrayList<>();
  private final Map<String, String> environment = new LinkedHashMap<>();
  private final String loadBefore = Environment.load();
  private final Table latencies =
      new Table(
          "Latencies in microseconds",
          "phase",
          "request",
          "users",
          "without mistake",
          "in the window",
          "mistakes",
          "a second",
          "p50",
          "p90",
          "p99",
          "p99.9",
          "most");
  private Chart chart;

  Report(String name, Path directory) {
    this.name = name;
    this.directory = directory;
  }

  /** Adds a table after the existing ones. */
  public Table table(String title, String... header) {
    Table table = new Table(title, header);
    tables.add(table);
    return table;
  }

  /** Sets the chart, whose files are chart.csv and chart.svg. */
  public void chart(Chart drawn) {
    chart = drawn;
  }

  /** Adds a remark below the tables. */
  public void note(String text) {
    notes.add(text);
  }

  /** Adds a failure, which is printed below each table. */
  public void failed(String what) {
    failures.add(what);
  }

  /** Adds the failures of a phase. */
  void failuresOf(PhaseResult outcome) {
    if (outcome.errors() > 0) {
      failed(
          String.format(
              Locale.ROOT,
              "%s, %d users: %,d errors: %s",
              outcome.label(),
              outcome.users(),
              outcome.errors(),
              String.join("; ", outcome.mistakes())));
    }
  }

  List<String> failures() {
    return List.copyOf(failures);
  }

  /** Adds the configuration of a server to environment.txt. */
  void environment(String title, String text) {
    environment.put(title, text);
  }

  void latencies(PhaseResult outcome) {
    outcome
        .byName()
        .forEach(
            (request, summary) -> {
              List<Object> row = new ArrayList<>();
              row.addAll(List.of(outcome.label(), request, outcome.users()));
              row.addAll(
                  List.of(
                      summary.ok(),
                      summary.counted(),
                      summary.mistakes(),
                      Math.round(summary.rate())));
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
            + (tables.isEmpty() ? failed() : "")
            + tables.stream().map(this::withFailures).collect(Collectors.joining("\n"))
            + notes.stream().map(note -> "\n" + note + "\n").collect(Collectors.joining())
            + configuration();
    file("table.md", text);
    file("latencies.md", latencies.markdown());
    file("environment.txt", environment());
    if (chart != null) {
      draw(chart);
    }
    return text;
  }

  /** Prints a table with the failures. Tables of published figures are printed without them. */
  private String withFailures(Table table) {
    return table.markdown() + (table.isPublished() ? "" : failed());
  }

  private String failed() {
    return failures.isEmpty()
        ? ""
        : "\n**Errors**:\n\n"
            + failures.stream().map(one -> "* " + one + "\n").collect(Collectors.joining());
  }

  private String configuration() {
    return environment.values().stream().anyMatch(text -> text.contains(LONG_KEPT))
        ? "\nStoa runs with `cache."
            + LONG_KEPT
            + "`, since the published servers kept what they had for as long as nothing was written;"
            + " the whole configuration of each server is in environment.txt.\n"
        : "";
  }

  private String environment() {
    StringBuilder text = new StringBuilder(String.join("\n", Environment.lines()));
    text.append("\nload average before: ").append(loadBefore);
    text.append("\nload average after: ").append(Environment.load()).append('\n');
    environment.forEach(
        (title, lines) -> text.append("\n").append(title).append(":\n\n").append(lines.indent(4)));
    return text.toString();
  }

  private void draw(Chart drawn) {
    try {
      DrawCharts.write(directory, "chart", drawn, "./dev load " + name);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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

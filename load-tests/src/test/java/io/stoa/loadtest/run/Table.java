// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A table of Markdown, built row by row. Threading: not thread-safe. */
public final class Table {
  private final String title;
  private final List<String> header;
  private final List<List<String>> rows = new ArrayList<>();

  Table(String title, String... header) {
    this.title = title;
    this.header = List.of(header);
  }

  /** Adds a row. Whole numbers are grouped, others have two decimal places. */
  public void row(Object... cells) {
    if (cells.length != header.size()) {
      throw new IllegalArgumentException(cells.length + " cells for " + header);
    }
    rows.add(Stream.of(cells).map(Table::text).toList());
  }

  private static String text(Object cell) {
    if (cell instanceof Integer || cell instanceof Long) {
      return String.format(Locale.ROOT, "%,d", ((Number) cell).longValue());
    }
    return cell instanceof Double number
        ? String.format(Locale.ROOT, "%.2f", number)
        : cell.toString();
  }

  /** True if the table repeats published figures, according to its title. */
  boolean isPublished() {
    return title.startsWith("Published");
  }

  String markdown() {
    String rule = "|---".repeat(header.size()) + "|\n";
    String body = rows.stream().map(Table::line).collect(Collectors.joining());
    return "## " + title + "\n\n" + line(header) + rule + body;
  }

  private static String line(List<String> cells) {
    return "| " + String.join(" | ", cells) + " |\n";
  }
}

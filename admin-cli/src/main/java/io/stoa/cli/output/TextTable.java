// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.output;

import java.util.ArrayList;
import java.util.List;

/**
 * Lines whose columns are padded to equal widths, except the last column. Threading: not
 * thread-safe while it is filled.
 */
public final class TextTable {
  private static final String GAP = "  ";

  private final List<List<String>> rows = new ArrayList<>();
  private final List<Integer> widths = new ArrayList<>();

  /** Adds a row of cells, made safe for a terminal. */
  public TextTable row(List<String> cells) {
    List<String> clean = cells.stream().map(Printable::of).toList();
    for (int i = 0; i < clean.size(); i++) {
      if (i == widths.size()) {
        widths.add(0);
      }
      widths.set(i, Math.max(widths.get(i), clean.get(i).length()));
    }
    rows.add(clean);
    return this;
  }

  /** Adds a row of cells, made safe for a terminal. */
  public TextTable row(String... cells) {
    return row(List.of(cells));
  }

  /** Returns all rows as lines. */
  public List<String> lines() {
    return rows.stream().map(this::line).toList();
  }

  private String line(List<String> cells) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < cells.size(); i++) {
      line.append(cells.get(i));
      if (i < cells.size() - 1) {
        line.append(" ".repeat(widths.get(i) - cells.get(i).length())).append(GAP);
      }
    }
    return line.toString().stripTrailing();
  }
}

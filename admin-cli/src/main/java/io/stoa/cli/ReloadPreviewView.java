// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli;

import io.stoa.cli.output.Amounts;
import io.stoa.cli.output.Report;
import io.stoa.cli.output.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Output of {@code config reload --dry-run}. Stoa answers a line for each key: effect, key, present
 * value and new value, separated by tabs. Threading: stateless.
 */
final class ReloadPreviewView {
  private static final int FIELDS = 4;

  private ReloadPreviewView() {}

  static Report report(String answer) {
    List<Map<String, Object>> changes = new ArrayList<>();
    TextTable table = new TextTable().row("key", "from", "to", "effect");
    for (String line : answer.split("\n")) {
      String[] fields = line.split("\t", -1);
      if (fields.length == FIELDS) {
        Map<String, Object> change = new LinkedHashMap<>();
        change.put("key", fields[1]);
        change.put("from", fields[2]);
        change.put("to", fields[3]);
        change.put("effect", fields[0]);
        changes.add(change);
        table.row(fields[1], shown(fields[2]), shown(fields[3]), meaning(fields[0]));
      }
    }
    Map<String, @Nullable Object> json = new LinkedHashMap<>();
    json.put("changes", changes);
    List<String> lines =
        changes.isEmpty() ? List.of("a reload would change nothing") : table.lines();
    return new Report(json, lines);
  }

  private static String shown(String value) {
    return value.isEmpty() ? Amounts.UNKNOWN : value;
  }

  private static String meaning(String effect) {
    return switch (effect) {
      case "applied" -> "applied at once";
      case "restart" -> "needs a restart";
      case "overridden" -> "overridden by cn=configuration";
      default -> effect;
    };
  }
}

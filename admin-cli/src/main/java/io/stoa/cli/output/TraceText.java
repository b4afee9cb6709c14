// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.output;

import io.stoa.cli.client.EntryValues;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The lines of a traced operation. Threading: stateless. */
public final class TraceText {
  /** A step: its place, the microseconds since receipt, and its text. */
  private static final Pattern STEP = Pattern.compile("\\{(\\d{1,6})}(\\d{1,18}) (.*)");

  /** Columns of the time of a step: 10, which is enough for a quarter of an hour. */
  private static final int COLUMNS = 10;

  private TraceText() {}

  /** Returns the lines of an operation: who, the request, and each step. */
  public static List<String> lines(EntryValues operation) {
    List<String> lines = new ArrayList<>();
    lines.add(
        Printable.of(
            "%s client %s%s op %s %s"
                .formatted(
                    operation.text("stoaTraceTime"),
                    operation.text("stoaTraceClient"),
                    origin(operation.text("stoaTraceFrom")),
                    operation.text("stoaTraceOperation"),
                    identity(operation.text("stoaTraceIdentity")))));
    lines.add(Printable.of("  " + operation.text("stoaTraceRequest")));
    for (String step : steps(operation)) {
      int space = step.indexOf(' ');
      String micros = " ".repeat(Math.max(0, COLUMNS - space)) + step.substring(0, space);
      lines.add(Printable.of("  " + micros + " µs  " + step.substring(space + 1)));
    }
    return lines;
  }

  private static String origin(@Nullable String address) {
    return address == null ? "" : " (" + address + ")";
  }

  private static String identity(@Nullable String dn) {
    return dn == null ? "anonymous" : dn;
  }

  /** Returns the steps in order, each as microseconds and text. */
  static List<String> steps(EntryValues operation) {
    return operation.values("stoaTraceStep").stream()
        .map(STEP::matcher)
        .filter(Matcher::matches)
        .sorted(Comparator.comparingInt(step -> Integer.parseInt(step.group(1))))
        .map(step -> step.group(2) + " " + step.group(3))
        .toList();
  }

  /** Returns the last line of a trace. */
  public static String summary(EntryValues end) {
    long dropped = end.count("stoaTraceDropped");
    String lost = dropped == 0 ? "" : ", " + Amounts.count(dropped) + " dropped: narrow the trace";
    long shown = end.count("stoaTraceShown");
    return Amounts.count(shown) + (shown == 1 ? " operation shown" : " operations shown") + lost;
  }
}

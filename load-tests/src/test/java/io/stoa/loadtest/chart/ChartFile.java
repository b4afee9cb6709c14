// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.chart;

import java.io.IOException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The file with the data of a chart: comma-separated values below lines of texts.
 *
 * <pre>
 * # title: CPU for a hit
 * # meaning: Medians of 15 pairs; whiskers: 95% interval.
 * # axis: logarithmic
 * # x: cached entries
 * # y: CPU, µs
 * # command: ...
 * series,x,median,low,high
 * "G1, Java 17",1000,4.1,4.0,4.3
 * </pre>
 *
 * <ol>
 *   <li>The five texts are required; {@code axis} is {@code groups}, {@code linear} or {@code
 *       logarithmic}. Further lines with {@code #} are comments.
 *   <li>{@code low} and {@code high} are empty where a point has no spread.
 *   <li>A name with a comma stands in quotes. It contains no quote.
 *   <li>A file has at most 1 MiB.
 * </ol>
 *
 * <p>Threading: stateless.
 */
final class ChartFile {
  private static final String HEADER = "series,x,median,low,high";
  private static final int COLUMNS = 5;
  private static final long MAX_OCTETS = 1 << 20;
  private static final MathContext DIGITS = new MathContext(5);

  private ChartFile() {}

  /** Reads a chart. An error names the file, the line and the remedy. */
  static Chart read(Path file) throws IOException {
    if (Files.size(file) > MAX_OCTETS) {
      throw new IOException(file + ": a chart has at most " + MAX_OCTETS + " octets");
    }
    List<String> lines = Files.readAllLines(file);
    int header = lines.indexOf(HEADER);
    if (header < 0) {
      throw new IOException(file + ": the line '" + HEADER + "' is missing above the values");
    }
    Chart chart = empty(file, lines.subList(0, header));
    for (int i = header + 1; i < lines.size(); i++) {
      try {
        add(chart, lines.get(i));
      } catch (IllegalArgumentException e) {
        throw new IOException(file + ":" + (i + 1) + ": " + e.getMessage(), e);
      }
    }
    if (chart.series().isEmpty()) {
      throw new IOException(file + ": a chart needs at least one line of values");
    }
    return chart;
  }

  private static Chart empty(Path file, List<String> lines) throws IOException {
    Map<String, String> texts = new HashMap<>();
    for (String line : lines) {
      int colon = line.indexOf(": ");
      if (line.startsWith("# ") && colon > 0) {
        texts.put(line.substring(2, colon), line.substring(colon + 2).strip());
      }
    }
    for (String name : List.of("title", "meaning", "axis", "x", "y")) {
      if (!texts.containsKey(name)) {
        throw new IOException(file + ": the line '# " + name + ": ...' is missing");
      }
    }
    return new Chart(
        axis(file, texts.get("axis")),
        new Chart.Texts(texts.get("title"), texts.get("meaning"), texts.get("x"), texts.get("y")));
  }

  private static Chart.Axis axis(Path file, String name) throws IOException {
    for (Chart.Axis axis : EnumSet.allOf(Chart.Axis.class)) {
      if (name(axis).equals(name)) {
        return axis;
      }
    }
    throw new IOException(
        file + ": the axis must be groups, linear or logarithmic, and is '" + name + "'");
  }

  private static String name(Chart.Axis axis) {
    return axis.name().toLowerCase(Locale.ROOT);
  }

  private static void add(Chart chart, String line) {
    String[] cells = line.split(",(?=([^\"]*\"[^\"]*\")*[^\"]*$)", -1); // no comma in quotes
    if (cells.length != COLUMNS) {
      throw new IllegalArgumentException(
          cells.length + " values instead of " + COLUMNS + ": " + HEADER);
    }
    double median = Double.parseDouble(cells[2]);
    double low = cells[3].isEmpty() ? median : Double.parseDouble(cells[3]);
    double high = cells[4].isEmpty() ? median : Double.parseDouble(cells[4]);
    chart.add(
        cells[0].replace("\"", ""), cells[1].replace("\"", ""), new Spread(median, low, high));
  }

  /** Returns the text of a file. */
  static String text(Chart chart, String command) {
    StringBuilder out = new StringBuilder();
    Chart.Texts texts = chart.texts();
    out.append("# title: ").append(texts.title());
    out.append("\n# meaning: ").append(texts.meaning());
    out.append("\n# axis: ").append(name(chart.axis()));
    out.append("\n# x: ").append(texts.x());
    out.append("\n# y: ").append(texts.y());
    out.append("\n# command: ").append(command);
    out.append('\n').append(HEADER).append('\n');
    chart.series().forEach((name, points) -> points.forEach(point -> line(out, name, point)));
    return out.toString();
  }

  private static void line(StringBuilder out, String name, Chart.Point point) {
    Spread y = point.y();
    boolean single = y.low() == y.high();
    out.append(quoted(name)).append(',').append(quoted(point.x())).append(',');
    out.append(number(y.median())).append(',');
    out.append(single ? "" : number(y.low())).append(',');
    out.append(single ? "" : number(y.high())).append('\n');
  }

  private static String quoted(String name) {
    return name.contains(",") ? "\"" + name + "\"" : name;
  }

  private static String number(double value) {
    return new BigDecimal(value).round(DIGITS).stripTrailingZeros().toPlainString();
  }
}

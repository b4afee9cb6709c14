// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A chart as SVG. Each series has one value for each point, drawn as a line or, where points are no
 * sizes, as bars. Points are at equal distances.
 *
 * <p>Threading: not thread-safe.
 */
public final class Chart {
  private static final int WIDTH = 760;
  private static final int HEIGHT = 420;
  private static final int LEFT = 80;
  private static final int RIGHT = 200;
  private static final int TOP = 50;
  private static final int BOTTOM = 60;
  private static final int TICKS = 5;
  private static final List<String> COLOURS =
      List.of("#1f5fa8", "#c0392b", "#2e8b57", "#8e44ad", "#b7791f", "#555555");

  private record Series(String name, List<Double> values) {}

  private final String title;
  private final String xName;
  private final String yName;
  private final List<String> points;
  private final boolean bars;
  private final List<Series> series = new ArrayList<>();

  Chart(String title, String xName, String yName, List<String> points) {
    this(title, xName, yName, points, false);
  }

  private Chart(String title, String xName, String yName, List<String> points, boolean bars) {
    this.title = title;
    this.xName = xName;
    this.yName = yName;
    this.points = points;
    this.bars = bars;
  }

  static Chart ofBars(String title, String yName, List<String> groups) {
    return new Chart(title, "", yName, groups, true);
  }

  /** Adds one bar to each group. */
  public void bar(String name, List<Double> values) {
    line(name, values);
  }

  /** Adds a line, with one value for each point. */
  public void line(String name, List<Double> values) {
    if (values.size() != points.size()) {
      throw new IllegalArgumentException(values.size() + " values for " + points);
    }
    series.add(new Series(name, List.copyOf(values)));
  }

  String svg() {
    StringBuilder out = new StringBuilder();
    add(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
            + " font-family=\"sans-serif\" font-size=\"12\">",
        WIDTH,
        HEIGHT);
    add(out, "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
    text(out, WIDTH / 2, 24, "middle", title);
    text(out, (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, "middle", xName);
    text(out, 10, TOP - 14, "start", yName);
    axes(out);
    for (int i = 0; i < series.size(); i++) {
      String colour = COLOURS.get(i % COLOURS.size());
      if (bars) {
        bars(out, series.get(i), colour, i);
      } else {
        line(out, series.get(i), colour);
      }
      legend(out, series.get(i), colour, i);
    }
    return out.append("</svg>\n").toString();
  }

  private void axes(StringBuilder out) {
    for (int i = 0; i <= TICKS; i++) {
      double value = top() * i / TICKS;
      add(
          out,
          "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#dddddd\"/>",
          LEFT,
          WIDTH - RIGHT,
          y(value),
          y(value));
      text(out, LEFT - 8, (int) y(value) + 4, "end", number(value));
    }
    for (int i = 0; i < points.size(); i++) {
      text(out, (int) x(i), HEIGHT - BOTTOM + 20, "middle", points.get(i));
    }
  }

  private void bars(StringBuilder out, Series one, String colour, int index) {
    double width = 0.8 * (WIDTH - LEFT - RIGHT - 20) / points.size() / series.size();
    for (int i = 0; i < one.values.size(); i++) {
      double left = x(i) + (index - series.size() / 2.0) * width;
      double top = y(one.values.get(i));
      add(
          out,
          "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>",
          left,
          top,
          width * 0.95,
          HEIGHT - BOTTOM - top,
          colour);
      text(out, (int) (left + width / 2), (int) top - 4, "middle", number(one.values.get(i)));
    }
  }

  private void line(StringBuilder out, Series one, String colour) {
    StringBuilder path = new StringBuilder();
    for (int i = 0; i < one.values.size(); i++) {
      path.append(String.format(Locale.ROOT, "%.1f,%.1f ", x(i), y(one.values.get(i))));
      add(
          out,
          "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>",
          x(i),
          y(one.values.get(i)),
          colour);
    }
    add(
        out,
        "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>",
        path.toString().strip(),
        colour);
  }

  private static void legend(StringBuilder out, Series one, String colour, int index) {
    int y = TOP + 10 + 20 * index;
    add(
        out,
        "<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"4\" fill=\"%s\"/>",
        WIDTH - RIGHT + 15,
        y,
        colour);
    text(out, WIDTH - RIGHT + 33, y + 6, "start", one.name);
  }

  private double x(int point) {
    double breadth = WIDTH - LEFT - RIGHT - 20;
    if (bars) {
      return LEFT + 10 + breadth * (point + 0.5) / points.size();
    }
    int steps = Math.max(1, points.size() - 1);
    return LEFT + 10 + breadth * point / steps;
  }

  private double y(double value) {
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / top();
  }

  /** Returns the largest value, rounded up to a number that five ticks divide well. */
  private double top() {
    double max =
        series.stream().flatMap(one -> one.values.stream()).mapToDouble(v -> v).max().orElse(1);
    double unit = Math.pow(10, Math.floor(Math.log10(Math.max(max, 1e-9))));
    return Math.ceil(max / unit * 2) / 2 * unit;
  }

  private static String number(double value) {
    return value >= 100 || value == 0
        ? String.format(Locale.ROOT, "%,.0f", value)
        : String.format(Locale.ROOT, "%.1f", value);
  }

  private static void text(StringBuilder out, int x, int y, String anchor, String text) {
    String safe = text.replace("&", "&amp;").replace("<", "&lt;");
    add(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>", x, y, anchor, safe);
  }

  private static void add(StringBuilder out, String format, Object... values) {
    out.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.chart;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The data of a chart: series of points, each a median with its spread.
 *
 * <ol>
 *   <li>On an axis of numbers, points of a series are joined by a line, at their true distances. On
 *       an axis of groups they stand below one another.
 *   <li>The series {@link #CEILING} is the limit of the load generator, and drawn as a line. A
 *       ceiling far above all results limits none, and lies outside of the picture.
 *   <li>Values whose title has a ÷ are ratios: a line marks 1, where both are equal.
 * </ol>
 *
 * <p>Threading: not thread-safe.
 */
public final class Chart {
  /** Name of the series with the rate of the load generator against a server without work. */
  public static final String CEILING = "ceiling of the generator";

  /** Meaning of points that are medians of rounds. */
  public static final String MEDIANS_OF_ROUNDS =
      "Points: medians of the rounds. Whiskers: the smallest and the largest round.";

  /** Kind of the axis of the varied quantity. */
  public enum Axis {
    /** Names at equal distances. */
    GROUPS,
    /** Numbers at true distances. */
    LINEAR,
    /** Positive numbers at distances of their logarithm. */
    LOGARITHMIC
  }

  /**
   * The texts of a chart. Each axis has its unit in its title.
   *
   * @param title the subject
   * @param meaning what a point and its whiskers are
   * @param x the varied quantity
   * @param y the measured quantity
   */
  public record Texts(String title, String meaning, String x, String y) {}

  /**
   * One point.
   *
   * @param x name of the group, or a number
   */
  record Point(String x, Spread y) {}

  private final Axis axis;
  private final Texts texts;
  private final Map<String, List<Point>> series = new LinkedHashMap<>();

  public Chart(Axis axis, Texts texts) {
    this.axis = axis;
    this.texts = texts;
  }

  /** Adds a point to a series, which begins with its first point. */
  public Chart add(String name, String x, Spread y) {
    if (axis != Axis.GROUPS) {
      number(x);
    }
    series.computeIfAbsent(name, any -> new ArrayList<>()).add(new Point(x, y));
    return this;
  }

  /** Adds a point to a series, at a number. */
  public Chart add(String name, int x, Spread y) {
    return add(name, String.valueOf(x), y);
  }

  private void number(String x) {
    double value;
    try {
      value = Double.parseDouble(x);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("'" + x + "' must be a number on this axis", e);
    }
    if (!Double.isFinite(value) || (axis == Axis.LOGARITHMIC && value <= 0)) {
      throw new IllegalArgumentException("'" + x + "' has no place on this axis");
    }
  }

  Axis axis() {
    return axis;
  }

  Texts texts() {
    return texts;
  }

  /** Returns the series by name, in their order. */
  Map<String, List<Point>> series() {
    return Collections.unmodifiableMap(series);
  }

  /** Returns the names of the groups in the order of their first points. */
  List<String> groups() {
    Set<String> names = new LinkedHashSet<>();
    series.values().forEach(points -> points.forEach(point -> names.add(point.x())));
    return List.copyOf(names);
  }

  /** Returns the largest end of a spread, the ceiling aside. */
  double largestResult() {
    return series.entrySet().stream()
        .filter(one -> !one.getKey().equals(CEILING))
        .flatMap(one -> one.getValue().stream())
        .mapToDouble(point -> point.y().high())
        .max()
        .orElse(0);
  }

  double largestCeiling() {
    return series.getOrDefault(CEILING, List.of()).stream()
        .mapToDouble(point -> point.y().high())
        .max()
        .orElse(0);
  }

  /** True if the measured quantity is a ratio. */
  boolean isOfRatios() {
    return texts.y().contains("÷");
  }
}

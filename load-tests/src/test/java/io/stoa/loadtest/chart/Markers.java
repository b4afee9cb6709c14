// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.chart;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Shape;
import java.awt.Stroke;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Line2D;
import java.awt.geom.Path2D;
import java.awt.geom.Rectangle2D;
import java.util.List;
import org.jfree.chart.renderer.xy.XYErrorRenderer;
import org.jfree.chart.renderer.xy.XYItemRenderer;
import org.jfree.chart.renderer.xy.XYLineAndShapeRenderer;

/**
 * Marker, dash and colour of each series. The first series have the markers that differ most.
 *
 * <p>Threading: stateless.
 */
final class Markers {
  private static final float CAP = 6;
  private static final float WHISKER = 1.3f;
  private static final float LINE = 1.8f;
  private static final Shape LEGEND_LINE = new Line2D.Double(-20, 0, 20, 0);

  private record Marker(Color colour, Shape shape, boolean filled, float... dash) {}

  /**
   * Colours of Okabe and Ito, which differ in grey and for the colour-blind, from dark to light.
   */
  private static final List<Marker> ALL =
      List.of(
          new Marker(new Color(0x00, 0x4E, 0x89), new Ellipse2D.Double(-4, -4, 8, 8), true),
          new Marker(
              new Color(0xC8, 0x50, 0x00), new Rectangle2D.Double(-4, -4, 8, 8), false, 7, 4),
          new Marker(new Color(0x00, 0x7A, 0x5A), polygon(0, -5, 5, 4, -5, 4), true, 2, 3),
          new Marker(
              new Color(0x8A, 0x3D, 0x6B), polygon(0, -6, 5, 0, 0, 6, -5, 0), false, 9, 3, 2, 3),
          new Marker(new Color(0x40, 0x40, 0x40), polygon(0, 5, 5, -4, -5, -4), true, 12, 4),
          new Marker(new Color(0x9A, 0x6A, 0x00), new Ellipse2D.Double(-4, -4, 8, 8), false, 4, 2));

  private Markers() {}

  private static Shape polygon(double... points) {
    Path2D path = new Path2D.Double();
    path.moveTo(points[0], points[1]);
    for (int i = 2; i < points.length; i += 2) {
      path.lineTo(points[i], points[i + 1]);
    }
    path.closePath();
    return path;
  }

  /** Returns the number of series with markers of their own. */
  static int count(Chart chart) {
    return chart.series().size() - (chart.series().containsKey(Chart.CEILING) ? 1 : 0);
  }

  /** Returns the row of a series in its group; 0 is the middle. */
  static double offset(Chart chart, String name) {
    return name.equals(Chart.CEILING) ? 0 : index(chart, name) - (count(chart) - 1) / 2.0;
  }

  private static int index(Chart chart, String name) {
    return chart.series().keySet().stream()
        .filter(one -> !one.equals(Chart.CEILING))
        .toList()
        .indexOf(name);
  }

  /** Returns the renderer of all series with results: markers with whiskers. */
  static XYItemRenderer ofResults(Chart chart) {
    XYErrorRenderer renderer = new XYErrorRenderer();
    renderer.setDefaultLinesVisible(chart.axis() != Chart.Axis.GROUPS);
    renderer.setDrawXError(false);
    renderer.setCapLength(CAP);
    renderer.setErrorStroke(new BasicStroke(WHISKER));
    renderer.setDrawSeriesLineAsPath(true);
    renderer.setUseFillPaint(true);
    renderer.setDrawOutlines(true);
    renderer.setLegendLine(LEGEND_LINE);
    for (int series = 0; series < count(chart); series++) {
      Marker marker = ALL.get(series % ALL.size());
      renderer.setSeriesPaint(series, marker.colour());
      renderer.setSeriesShape(series, marker.shape());
      renderer.setSeriesFillPaint(series, marker.filled() ? marker.colour() : ChartStyle.PAPER);
      renderer.setSeriesOutlineStroke(series, new BasicStroke(LINE));
      renderer.setSeriesStroke(series, stroke(LINE, marker.dash()));
    }
    return renderer;
  }

  /** Returns the renderer of the ceiling: a line as high as its group, or along the chart. */
  static XYItemRenderer ofCeiling(Chart chart, int laneHeight) {
    boolean lines = chart.axis() != Chart.Axis.GROUPS;
    XYLineAndShapeRenderer renderer = new XYLineAndShapeRenderer(lines, !lines);
    Stroke dotted = stroke(WHISKER, 2, 2);
    renderer.setDefaultPaint(ChartStyle.DARK);
    renderer.setAutoPopulateSeriesPaint(false);
    renderer.setDefaultStroke(dotted);
    renderer.setAutoPopulateSeriesStroke(false);
    renderer.setDrawSeriesLineAsPath(true);
    double half = laneHeight / 2.0 - 2;
    renderer.setDefaultShape(new Line2D.Double(0, -half, 0, half));
    renderer.setAutoPopulateSeriesShape(false);
    renderer.setDefaultLegendShape(new Line2D.Double(0, -6, 0, 6));
    renderer.setLegendLine(LEGEND_LINE);
    return renderer;
  }

  private static Stroke stroke(float width, float... dash) {
    return dash.length == 0
        ? new BasicStroke(width)
        : new BasicStroke(width, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1, dash, 0);
  }
}

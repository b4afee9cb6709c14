// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.chart;

import de.erichseifert.vectorgraphics2d.VectorGraphics2D;
import de.erichseifert.vectorgraphics2d.svg.SVGProcessor;
import de.erichseifert.vectorgraphics2d.util.PageSize;
import java.awt.Font;
import java.awt.font.FontRenderContext;
import java.awt.geom.Rectangle2D;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.LogarithmicAxis;
import org.jfree.chart.axis.NumberAxis;
import org.jfree.chart.axis.NumberTickUnit;
import org.jfree.chart.axis.SymbolAxis;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.plot.PlotOrientation;
import org.jfree.chart.plot.ValueMarker;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.text.TextUtils;
import org.jfree.chart.title.TextTitle;
import org.jfree.data.xy.XYDataset;
import org.jfree.data.xy.YIntervalSeries;
import org.jfree.data.xy.YIntervalSeriesCollection;

/**
 * Draws a chart as SVG, by JFreeChart.
 *
 * <ol>
 *   <li>The same data and fonts give the same octets: the file has no date and no random name.
 *   <li>Series differ by marker and dash as well as by colour, so that a print in grey is readable.
 *   <li>Groups are rows, so that their names are horizontal and have room.
 * </ol>
 *
 * <p>Threading: stateless.
 */
final class ChartDrawing {
  private static final int WIDTH = 800;
  private static final int HEIGHT_OF_LINES = 480;
  private static final int HEIGHT_OF_TEXTS = 150;
  private static final int HEIGHT_OF_POINT = 16;
  private static final int GAP = 10;
  private static final double MARGIN = 0.02;

  /** Largest ceiling in the picture, relative to the largest result. */
  private static final double ROOM_FOR_CEILING = 1.5;

  private static final String CUT = " A ceiling that is missing lies beyond the edge.";

  private ChartDrawing() {}

  static {
    System.setProperty("java.awt.headless", "true"); // a chart needs fonts, and no screen
    TextUtils.setUseDrawRotatedStringWorkaround(false); // turned text stays text
  }

  /**
   * Verifies that a chart can be drawn, before a long measurement.
   *
   * @throws IllegalStateException if the Java runtime finds no fonts
   */
  static void requireFonts() {
    try {
      ChartStyle.font(Font.PLAIN, 11)
          .getStringBounds("0", new FontRenderContext(null, false, false));
    } catch (LinkageError | RuntimeException | InternalError e) {
      throw new IllegalStateException(
          "charts need fonts, and this Java runtime finds none ("
              + e
              + "). Install fontconfig,"
              + " FreeType and DejaVu Sans (Debian: apt-get install --no-install-recommends"
              + " libfontconfig1 libfreetype6 fonts-dejavu-core).",
          e);
    }
  }

  /** Returns the SVG. */
  static String svg(Chart chart) {
    requireFonts();
    int height = height(chart);
    JFreeChart drawing = drawing(chart);
    VectorGraphics2D graphics = new VectorGraphics2D();
    drawing.draw(graphics, new Rectangle2D.Double(0, 0, WIDTH, height));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      new SVGProcessor()
          .getDocument(graphics.getCommands(), new PageSize(0, 0, WIDTH, height))
          .writeTo(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return ChartStyle.withFallbackFonts(out.toString(StandardCharsets.UTF_8));
  }

  private static int height(Chart chart) {
    return chart.axis() == Chart.Axis.GROUPS
        ? HEIGHT_OF_TEXTS + chart.groups().size() * laneHeight(chart)
        : HEIGHT_OF_LINES;
  }

  private static int laneHeight(Chart chart) {
    return Math.max(2, Markers.count(chart)) * HEIGHT_OF_POINT + GAP;
  }

  private static JFreeChart drawing(Chart chart) {
    Chart.Texts texts = chart.texts();
    XYPlot plot = plot(chart);
    JFreeChart drawing = new JFreeChart(texts.title(), ChartStyle.font(Font.BOLD, 15), plot, true);
    ChartStyle.dress(drawing);
    String hint = isCeilingCut(chart) ? texts.meaning() + CUT : texts.meaning();
    drawing.addSubtitle(0, subtitle(hint));
    return drawing;
  }

  private static TextTitle subtitle(String text) {
    TextTitle subtitle = new TextTitle(text, ChartStyle.font(Font.PLAIN, 11));
    subtitle.setPaint(ChartStyle.DARK);
    return subtitle;
  }

  private static XYPlot plot(Chart chart) {
    XYPlot plot = new XYPlot();
    plot.setDomainAxis(varied(chart));
    plot.setRangeAxis(measured(chart));
    plot.setDataset(0, data(chart, name -> !name.equals(Chart.CEILING)));
    plot.setRenderer(0, Markers.ofResults(chart));
    plot.setDataset(1, data(chart, Chart.CEILING::equals));
    plot.setRenderer(1, Markers.ofCeiling(chart, laneHeight(chart)));
    if (chart.axis() == Chart.Axis.GROUPS) {
      plot.setOrientation(PlotOrientation.HORIZONTAL);
    }
    if (chart.isOfRatios()) {
      plot.addRangeMarker(new ValueMarker(1, ChartStyle.DARK, ChartStyle.THIN));
    }
    ChartStyle.dress(plot);
    return plot;
  }

  private static XYDataset data(Chart chart, Predicate<String> names) {
    YIntervalSeriesCollection data = new YIntervalSeriesCollection();
    chart
        .series()
        .forEach(
            (name, points) -> {
              if (names.test(name)) {
                data.addSeries(series(chart, name, points));
              }
            });
    return data;
  }

  private static YIntervalSeries series(Chart chart, String name, List<Chart.Point> points) {
    YIntervalSeries series = new YIntervalSeries(name, false, true);
    for (Chart.Point point : points) {
      Spread y = point.y();
      series.add(place(chart, name, point), y.median(), y.low(), y.high());
    }
    return series;
  }

  /** Returns the place on the varied axis. Points of one group stand below one another. */
  private static double place(Chart chart, String series, Chart.Point point) {
    if (chart.axis() != Chart.Axis.GROUPS) {
      return Double.parseDouble(point.x());
    }
    double lane = (double) HEIGHT_OF_POINT / laneHeight(chart);
    return chart.groups().indexOf(point.x()) + lane * Markers.offset(chart, series);
  }

  private static ValueAxis varied(Chart chart) {
    String title = chart.texts().x();
    return switch (chart.axis()) {
      case GROUPS -> groups(title, chart.groups());
      case LINEAR -> fromZero(title);
      case LOGARITHMIC -> logarithmic(title);
    };
  }

  private static ValueAxis groups(String title, List<String> names) {
    SymbolAxis axis = new SymbolAxis(title, names.toArray(new String[0]));
    axis.setInverted(true);
    axis.setRange(-0.5, names.size() - 0.5);
    axis.setGridBandsVisible(true);
    axis.setGridBandPaint(ChartStyle.BAND);
    axis.setGridBandAlternatePaint(ChartStyle.PAPER);
    axis.setTickMarksVisible(false);
    return axis;
  }

  private static ValueAxis measured(Chart chart) {
    NumberAxis axis = linear(chart.texts().y());
    if (isCeilingCut(chart)) {
      axis.setRange(0, ROOM_FOR_CEILING * chart.largestResult());
    }
    return axis;
  }

  private static boolean isCeilingCut(Chart chart) {
    return chart.largestCeiling() > ROOM_FOR_CEILING * chart.largestResult();
  }

  /** Returns an axis with room for markers at its ends. */
  private static NumberAxis fromZero(String title) {
    NumberAxis axis = linear(title);
    axis.setAutoRangeStickyZero(false);
    axis.setLowerMargin(MARGIN);
    return axis;
  }

  private static NumberAxis linear(String title) {
    NumberAxis axis = new NumberAxis(title);
    axis.setAutoRangeIncludesZero(true);
    axis.setUpperMargin(MARGIN);
    axis.setNumberFormatOverride(numbers());
    return axis;
  }

  private static ValueAxis logarithmic(String title) {
    LogarithmicAxis axis = new LogarithmicAxis(title);
    axis.setExpTickLabelsFlag(false);
    axis.setTickUnit(new NumberTickUnit(1, numbers()));
    return axis;
  }

  private static DecimalFormat numbers() {
    return new DecimalFormat("#,##0.##", DecimalFormatSymbols.getInstance(Locale.ROOT));
  }
}

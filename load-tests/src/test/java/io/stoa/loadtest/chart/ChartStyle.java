// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.chart;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Stroke;
import org.jfree.chart.JFreeChart;
import org.jfree.chart.axis.ValueAxis;
import org.jfree.chart.block.BlockBorder;
import org.jfree.chart.plot.XYPlot;
import org.jfree.chart.title.LegendTitle;
import org.jfree.chart.ui.RectangleInsets;

/** Fonts, colours and margins that all charts share. Threading: stateless. */
final class ChartStyle {
  static final Color PAPER = Color.WHITE;
  static final Color BAND = new Color(0xF4, 0xF4, 0xF4);
  static final Color DARK = new Color(0x33, 0x33, 0x33);
  static final Stroke THIN = new BasicStroke(1);

  private static final Color GRID = new Color(0xD0, 0xD0, 0xD0);

  /** The layout depends on the width of letters, so the font is named. */
  private static final String FAMILY = "DejaVu Sans";

  /** Fonts of a viewer without {@link #FAMILY}; the first has letters of the same width. */
  private static final String FALLBACK = ",Verdana,sans-serif";

  private ChartStyle() {}

  /** Returns a font. Sizes are odd, since the writer of the SVG leaves out its default of 12. */
  static Font font(int style, int size) {
    return new Font(FAMILY, style, size);
  }

  static String withFallbackFonts(String svg) {
    String named = "&quot;" + FAMILY + "&quot;";
    return svg.replace(named, named + FALLBACK);
  }

  static void dress(JFreeChart chart) {
    chart.setBackgroundPaint(PAPER);
    chart.setPadding(new RectangleInsets(6, 8, 6, 16));
    LegendTitle legend = chart.getLegend();
    legend.setItemFont(font(Font.PLAIN, 13));
    legend.setItemLabelPadding(new RectangleInsets(2, 4, 2, 14));
    legend.setFrame(BlockBorder.NONE);
  }

  static void dress(XYPlot plot) {
    plot.setBackgroundPaint(PAPER);
    plot.setOutlineVisible(false);
    plot.setDomainGridlinePaint(GRID);
    plot.setRangeGridlinePaint(GRID);
    plot.setDomainGridlineStroke(THIN);
    plot.setRangeGridlineStroke(THIN);
    plot.setAxisOffset(RectangleInsets.ZERO_INSETS);
    dress(plot.getDomainAxis());
    dress(plot.getRangeAxis());
  }

  private static void dress(ValueAxis axis) {
    axis.setLabelFont(font(Font.PLAIN, 13));
    axis.setTickLabelFont(font(Font.PLAIN, 11));
    axis.setAxisLinePaint(DARK);
  }
}

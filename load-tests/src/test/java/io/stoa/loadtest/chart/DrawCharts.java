// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.chart;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Draws charts from their files: {@code ./dev chart FILE.csv}. The picture lies beside the file,
 * with the ending {@code .svg}.
 *
 * <p>Threading: stateless.
 */
public final class DrawCharts {
  private static final String DATA = ".csv";
  private static final int FAILED = 1;
  private static final int USAGE = 2;

  private DrawCharts() {}

  /** Draws the named files, and exits with 1 at the first that is not readable. */
  public static void main(String[] files) {
    if (files.length == 0) {
      System.err.println("dev: a chart needs its data. Run: ./dev chart FILE.csv ...");
      System.exit(USAGE);
    }
    try {
      for (String file : files) {
        System.out.println(draw(Path.of(file)));
      }
    } catch (NoSuchFileException e) {
      fail("there is no file " + e.getMessage());
    } catch (IOException | IllegalStateException e) {
      fail(String.valueOf(e.getMessage()));
    }
  }

  private static void fail(String message) {
    System.err.println("dev: " + message);
    System.exit(FAILED);
  }

  /**
   * Verifies that charts can be drawn, before a long measurement.
   *
   * @throws IllegalStateException if the Java runtime finds no fonts
   */
  public static void requireFonts() {
    ChartDrawing.requireFonts();
  }

  /** Draws a file, and returns the picture. */
  static Path draw(Path file) throws IOException {
    String name = String.valueOf(file.getFileName());
    if (!name.endsWith(DATA)) {
      throw new IOException(file + ": the name of a chart's data must end in " + DATA);
    }
    Path picture = file.resolveSibling(name.substring(0, name.length() - DATA.length()) + ".svg");
    Files.writeString(picture, ChartDrawing.svg(ChartFile.read(file)));
    return picture;
  }

  /**
   * Writes the data and the picture of a chart.
   *
   * @param name name of both files, without ending
   * @param command command that measured it
   */
  public static void write(Path directory, String name, Chart chart, String command)
      throws IOException {
    Files.writeString(directory.resolve(name + DATA), ChartFile.text(chart, command));
    Files.writeString(directory.resolve(name + ".svg"), ChartDrawing.svg(chart));
  }
}

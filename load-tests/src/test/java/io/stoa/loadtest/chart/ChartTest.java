// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoa.testing.Repository;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

class ChartTest {
  private static final Chart.Texts RATIOS =
      new Chart.Texts("A & B", "Points: medians.", "operation", "rate ÷ slapd");
  private static final Chart.Texts GROWTH =
      new Chart.Texts("Growth", "Points: medians.", "cached entries", "CPU, µs");

  @TempDir Path directory;

  private static Chart growth() {
    Chart chart = new Chart(Chart.Axis.LOGARITHMIC, GROWTH);
    for (int entries = 1000; entries <= 1_000_000; entries *= 10) {
      double cpu = Math.log10(entries);
      chart.add("G1, Java 17", entries, new Spread(cpu, cpu - 0.2, cpu + 0.4));
      chart.add("ZGC", entries, Spread.of(cpu + 1));
    }
    return chart;
  }

  private static Chart groups() {
    return new Chart(Chart.Axis.GROUPS, RATIOS)
        .add("Stoa", "search <1>", new Spread(2, 1.5, 2.5))
        .add(Chart.CEILING, "search <1>", Spread.of(3))
        .add("Stoa", "bind", new Spread(0.5, 0.4, 0.6))
        .add(Chart.CEILING, "bind", Spread.of(3.5));
  }

  private static Document parsed(String svg) throws Exception {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
    DocumentBuilder builder = factory.newDocumentBuilder();
    return builder.parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
  }

  /** Returns the texts of a picture. */
  private static List<String> texts(String svg) throws Exception {
    Document document = parsed(svg);
    assertThat(document.getDocumentElement().getTagName()).isEqualTo("svg");
    NodeList nodes = document.getElementsByTagName("text");
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < nodes.getLength(); i++) {
      texts.add(nodes.item(i).getTextContent());
    }
    return texts;
  }

  /** Returns the horizontal place of a text. */
  private static double place(String svg, String text) throws Exception {
    NodeList nodes = parsed(svg).getElementsByTagName("text");
    for (int i = 0; i < nodes.getLength(); i++) {
      if (nodes.item(i).getTextContent().equals(text)) {
        return Double.parseDouble(((Element) nodes.item(i)).getAttribute("x"));
      }
    }
    throw new AssertionError("no text " + text);
  }

  @Test
  void pictureHasAllNamesAndTitles() throws Exception {
    assertThat(texts(ChartDrawing.svg(groups())))
        .contains("A & B", "Points: medians.", "operation", "rate ÷ slapd")
        .contains("search <1>", "bind", "Stoa", Chart.CEILING);
    assertThat(texts(ChartDrawing.svg(growth())))
        .contains("Growth", "cached entries", "CPU, µs", "G1, Java 17", "ZGC")
        .contains("1,000", "10,000", "100,000", "1,000,000");
  }

  @Test
  void distancesOfNumbersAreTrue() throws Exception {
    Chart chart = new Chart(Chart.Axis.LINEAR, GROWTH);
    for (int x : new int[] {0, 10, 150}) {
      chart.add("run", x, Spread.of(x));
    }
    String svg = ChartDrawing.svg(chart);
    double step = place(svg, "40") - place(svg, "20");
    assertThat(step).isGreaterThan(50);
    assertThat(place(svg, "80") - place(svg, "40")).isEqualTo(2 * step, within(1));
    String log = ChartDrawing.svg(growth());
    double decade = place(log, "10,000") - place(log, "1,000");
    assertThat(decade).isGreaterThan(100);
    assertThat(place(log, "100,000") - place(log, "10,000")).isEqualTo(decade, within(12));
  }

  private static Offset<Double> within(double pixels) {
    return Offset.offset(pixels);
  }

  @Test
  void farCeilingLeavesRoomForTheResults() throws Exception {
    String svg = ChartDrawing.svg(groups().add(Chart.CEILING, "search", Spread.of(30)));
    assertThat(texts(svg))
        .contains("Points: medians. A ceiling that is missing lies beyond the edge.")
        .doesNotContain("10", "30");
  }

  @Test
  void sameDataGiveTheSameOctets() {
    assertThat(ChartDrawing.svg(growth())).isEqualTo(ChartDrawing.svg(growth()));
  }

  @Test
  void fileKeepsTheChart() throws Exception {
    DrawCharts.write(directory, "growth", growth(), "./dev load growth");
    Path file = directory.resolve("growth.csv");
    assertThat(file)
        .content()
        .contains("# axis: logarithmic\n", "# command: ./dev load growth\n")
        .contains("\"G1, Java 17\",1000,3,2.8,3.4\n", "\nZGC,1000,4,,\n");
    String first = Files.readString(directory.resolve("growth.svg"));
    assertThat(DrawCharts.draw(file)).isEqualTo(directory.resolve("growth.svg")).hasContent(first);
    Chart again = ChartFile.read(file);
    assertThat(again.texts()).isEqualTo(growth().texts());
    assertThat(again.series()).isEqualTo(growth().series());
  }

  @Test
  void errorNamesTheLine() throws Exception {
    Path file = directory.resolve("wrong.csv");
    String header =
        "# title: T\n# meaning: M\n# axis: logarithmic\n# x: X\n# y: Y\nseries,x,median,low,high\n";
    assertError(file, header + "a,1,2,,\na,0,2,,\n", "wrong.csv:8: '0' has no place on this axis");
    assertError(file, header + "a,1,2\n", "wrong.csv:7: 3 values instead of 5");
    assertError(file, header + "a,1,2,3,4\n", "wrong.csv:7: the median 2.0 must be between");
    assertError(file, header + "a,b,2,,\n", "wrong.csv:7: 'b' must be a number");
    assertError(file, header + "a,1,x,,\n", "wrong.csv:7: For input string: \"x\"");
    assertError(file, header, "at least one line");
    assertError(file, header.replace("# y: Y\n", ""), "the line '# y: ...' is missing");
    assertError(file, header.replace("logarithmic", "round"), "groups, linear or logarithmic");
    assertError(file, "# title: T\n", "'series,x,median,low,high' is missing");
    assertThatThrownBy(() -> DrawCharts.draw(directory.resolve("a.txt")))
        .hasMessageContaining("must end in .csv");
  }

  private static void assertError(Path file, String text, String message) throws IOException {
    Files.writeString(file, text);
    assertThatThrownBy(() -> DrawCharts.draw(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(message);
  }

  @Test
  void spreadIsOfAllRounds() {
    assertThat(Spread.of(3, 1, 2, 10)).isEqualTo(new Spread(2.5, 1, 10));
    assertThatThrownBy(() -> new Spread(1, 2, 3)).hasMessageContaining("must be between 2.0");
  }

  /** A picture in the documentation has its data beside it, and shows them. */
  @Test
  void publishedPicturesShowTheirData() throws Exception {
    Path charts = Repository.root().resolve("docs/charts");
    List<Path> pictures;
    try (Stream<Path> files = Files.list(charts)) {
      pictures = files.filter(file -> file.toString().endsWith(".svg")).toList();
    }
    assertThat(pictures).isNotEmpty();
    for (Path picture : pictures) {
      Path data = Path.of(picture.toString().replaceAll("svg$", "csv"));
      assertThat(data).content().contains("\n# command: ");
      Chart chart = ChartFile.read(data);
      assertThat(texts(Files.readString(picture)))
          .as(picture.toString())
          .contains(chart.texts().title(), chart.texts().x(), chart.texts().y())
          .containsAll(chart.series().keySet());
    }
  }
}

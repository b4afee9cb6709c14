// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest {
  @TempDir Path directory;

  @Test
  void tableIsMarkdown() {
    Table table = new Table("Rates", "size", "ops/s", "÷");
    table.row(75_000, 1234567L, 1.5);
    assertThat(table.markdown())
        .isEqualTo(
            "## Rates\n\n| size | ops/s | ÷ |\n|---|---|---|\n| 75,000 | 1,234,567 | 1.50 |\n");
    assertThatThrownBy(() -> table.row("too few")).hasMessageContaining("1 cells");
  }

  @Test
  void chartIsXmlWithAllPoints() throws Exception {
    Chart chart = new Chart("A & B", "size", "ops/s", List.of("0", "50", "100"));
    chart.line("first <1>", List.of(0.0, 120.0, 340.0));
    chart.line("second", List.of(10.0, 20.0, 0.0));
    byte[] svg = chart.svg().getBytes(StandardCharsets.UTF_8);
    var document =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new ByteArrayInputStream(svg));
    assertThat(document.getElementsByTagName("polyline").getLength()).isEqualTo(2);
    assertThat(document.getElementsByTagName("circle").getLength()).isEqualTo(6);
    assertThat(chart.svg()).contains("A &amp; B", "first &lt;1>", ">350<");
  }

  @Test
  void barsOfAGroupStandSideBySide() throws Exception {
    Chart chart = Chart.ofBars("Rates", "ops/s", List.of("search", "bind", "modify"));
    chart.bar("slapd", List.of(100.0, 50.0, 20.0));
    chart.bar("Stoa", List.of(200.0, 40.0, 10.0));
    var document =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new ByteArrayInputStream(chart.svg().getBytes(StandardCharsets.UTF_8)));
    int legendAndGround = 3;
    assertThat(document.getElementsByTagName("rect").getLength()).isEqualTo(6 + legendAndGround);
    assertThat(chart.svg()).contains(">search<", ">200<").doesNotContain("polyline", "circle");
  }

  @Test
  void lineMustFitThePoints() {
    Chart chart = new Chart("", "", "", List.of("0"));
    assertThatThrownBy(() -> chart.line("", List.of(1.0, 2.0))).hasMessageContaining("2 values");
  }

  @Test
  void errorsFollowTheMeasuredTables() {
    Report report = new Report("name", directory);
    report.failed("it did not come to its end");
    assertThat(report.write()).contains("* it did not come to its end");
    report.table("Rates", "a").row("1");
    report.table("Published: elsewhere", "b").row("2");
    assertThat(report.write())
        .containsOnlyOnce("* it did not come to its end")
        .containsSubsequence("## Rates", "**Errors**", "## Published");
  }

  @Test
  void allFilesAreWritten() throws Exception {
    Report report = new Report("name", directory.resolve("new"));
    report.table("T", "a").row("1");
    report.chart("chart", "C", "x", "y", List.of("0")).line("l", List.of(1.0));
    report.note("A remark.");
    report.environment("configuration of Stoa", "cache:\n  maxAge: 1h\n");
    assertThat(report.write())
        .startsWith("# name\n")
        .contains("## T", "A remark.", "`cache.maxAge: 1h`")
        .doesNotContain("Errors");
    assertThat(Files.readString(directory.resolve("new/environment.txt")))
        .contains("machine: ", "slapd: ", "Gatling: 3.", "Netty: 4.", "Stoa's Java options: ")
        .contains("the generator's Java options: ", "load average before: ")
        .contains("configuration of Stoa:\n\n    cache:\n      maxAge: 1h");
    assertThat(directory.resolve("new/chart.svg")).exists();
    assertThat(directory.resolve("new/latencies.md")).exists();
  }
}

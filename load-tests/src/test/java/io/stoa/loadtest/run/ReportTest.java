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
  void lineMustFitThePoints() {
    Chart chart = new Chart("", "", "", List.of("0"));
    assertThatThrownBy(() -> chart.line("", List.of(1.0, 2.0))).hasMessageContaining("2 values");
  }

  @Test
  void allFilesAreWritten() throws Exception {
    Report report = new Report("name", directory.resolve("new"));
    report.table("T", "a").row("1");
    report.chart("chart", "C", "x", "y", List.of("0")).line("l", List.of(1.0));
    report.note("A remark.");
    assertThat(report.write()).startsWith("# name\n").contains("## T", "A remark.");
    assertThat(Files.readString(directory.resolve("new/environment.txt")))
        .contains("machine: ", "slapd: ", "Gatling: 3.", "Netty: 4.", "Stoa's Java options: ");
    assertThat(directory.resolve("new/chart.svg")).exists();
    assertThat(directory.resolve("new/latencies.md")).exists();
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoa.loadtest.chart.Chart;
import io.stoa.loadtest.chart.Spread;
import java.nio.file.Files;
import java.nio.file.Path;
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
    report.chart(
        new Chart(Chart.Axis.LINEAR, new Chart.Texts("C", "Points: medians.", "x", "y"))
            .add("l", 0, Spread.of(1)));
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
    assertThat(directory.resolve("new/chart.svg")).content().contains(">C<", ">l<");
    assertThat(directory.resolve("new/chart.csv"))
        .content()
        .contains("# command: ./dev load name\n", "\nl,0,1,,\n");
    assertThat(directory.resolve("new/latencies.md")).exists();
  }
}

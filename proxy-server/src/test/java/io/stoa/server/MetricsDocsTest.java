// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.stoa.coherence.invalidation.Refusal;
import io.stoa.coherence.view.InvalidationCause;
import io.stoa.metrics.FeedMeters.AdvanceCause;
import io.stoa.metrics.ProxyMeters;
import io.stoa.testing.Repository;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The documentation of metrics and exit codes follows from the code. */
class MetricsDocsTest {
  /** Cells of a row of causes, with the empty one before the first bar. */
  private static final int CELLS = 5;

  private static final Pattern NAME = Pattern.compile("`((?:jvm|process|system)_[a-z0-9_]+)`");

  @Test
  void metricsAreDocumentedAsTheyAre() throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add("| metric | type | labels | meaning |");
    lines.add("|---|---|---|---|");
    for (ProxyMeters meter : ProxyMeters.values()) {
      lines.add(
          "| `%s` | %s | %s | %s |"
              .formatted(
                  prometheusName(meter),
                  type(meter),
                  meter.tags().stream()
                      .map(tag -> "`" + tag + "`")
                      .collect(Collectors.joining(", ")),
                  meter.meaning()));
    }
    GeneratedSection.check("docs/reference/metrics.md", "metrics", lines);
  }

  @Test
  void everyCauseIsExplained() throws IOException {
    Stream<String> rows =
        Stream.of(
                rows(ProxyMeters.FEED_REFUSED, Refusal.values()),
                rows(ProxyMeters.FEED_INVALIDATIONS, InvalidationCause.values()),
                rows(ProxyMeters.FEED_WATERMARK_ADVANCES, AdvanceCause.values()))
            .flatMap(meter -> meter);
    assertThat(Repository.section("docs/reference/metrics.md", "causes").stream().skip(2))
        .allMatch(row -> row.split("\\|").length == CELLS)
        .map(row -> row.substring(0, row.indexOf('|', row.indexOf('|', 1) + 1)))
        .containsExactlyElementsOf(rows.toList());
  }

  private static Stream<String> rows(ProxyMeters meter, Enum<?>[] causes) {
    return Stream.of(causes)
        .map(cause -> cause.name().toLowerCase(Locale.ROOT))
        .map(label -> "| `%s` | `%s` ".formatted(prometheusName(meter), label));
  }

  @Test
  void exitCodesAreDocumentedAsTheyAre() throws IOException {
    List<String> lines = new ArrayList<>(List.of("| code | meaning |", "|---|---|"));
    for (ExitCode code : ExitCode.values()) {
      lines.add("| %d | %s |".formatted(code.code(), code.meaning()));
    }
    GeneratedSection.check("docs/reference/exit-codes.md", "stoa", lines);
  }

  /** The documented metrics of the JVM and its process, which ManagementIT compares with Stoa's. */
  static Set<String> processMetrics() throws IOException {
    return NAME.matcher(String.join("\n", Repository.section("docs/reference/metrics.md", "jvm")))
        .results()
        .map(name -> name.group(1))
        .collect(Collectors.toSet());
  }

  /** The type in Prometheus' terms. */
  static String type(ProxyMeters meter) {
    return meter.isHistogram() ? "histogram" : meter.type().name().toLowerCase(Locale.ROOT);
  }

  /** What ManagementIT finds under these names. */
  static String prometheusName(ProxyMeters meter) {
    String unit = meter.unit() == null ? "" : "_" + meter.unit();
    String total = meter.type() == Meter.Type.COUNTER ? "_total" : "";
    return meter.meterName().replace('.', '_') + unit + total;
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.micrometer.core.instrument.Meter;
import io.stoa.coherence.invalidation.Refusal;
import io.stoa.coherence.view.InvalidationCause;
import io.stoa.metrics.FeedMeters.FlushCause;
import io.stoa.metrics.ProxyMeters;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The documentation of metrics and exit codes follows from the code. */
class MetricsDocsTest {
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
                  meter.type().name().toLowerCase(Locale.ROOT),
                  meter.tags().stream()
                      .map(tag -> "`" + tag + "`")
                      .collect(Collectors.joining(", ")),
                  meter.meaning()));
    }
    GeneratedSection.check("docs/reference/metrics.md", "metrics", lines);
  }

  @Test
  void causesAreDocumentedAsTheyAre() throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add("| metric | cause | meaning | remedy |");
    lines.add("|---|---|---|---|");
    for (Refusal cause : Refusal.values()) {
      lines.add(row(ProxyMeters.FEED_REFUSED, cause, cause.meaning(), cause.remedy()));
    }
    for (InvalidationCause cause : InvalidationCause.values()) {
      lines.add(row(ProxyMeters.FEED_INVALIDATIONS, cause, cause.meaning(), cause.remedy()));
    }
    for (FlushCause cause : FlushCause.values()) {
      lines.add(row(ProxyMeters.FEED_WATERMARK_ADVANCES, cause, cause.meaning(), cause.remedy()));
    }
    GeneratedSection.check("docs/reference/metrics.md", "causes", lines);
  }

  private static String row(ProxyMeters meter, Enum<?> cause, String meaning, String remedy) {
    String label = cause.name().toLowerCase(Locale.ROOT);
    return "| `%s` | `%s` | %s | %s |".formatted(prometheusName(meter), label, meaning, remedy);
  }

  @Test
  void exitCodesAreDocumentedAsTheyAre() throws IOException {
    List<String> lines = new ArrayList<>(List.of("| code | meaning |", "|---|---|"));
    for (ExitCode code : ExitCode.values()) {
      lines.add("| %d | %s |".formatted(code.code(), code.meaning()));
    }
    GeneratedSection.check("docs/reference/exit-codes.md", "stoa", lines);
  }

  /** What ManagementIT finds under these names. */
  static String prometheusName(ProxyMeters meter) {
    String unit = meter.unit() == null ? "" : "_" + meter.unit();
    String total = meter.type() == Meter.Type.COUNTER ? "_total" : "";
    return meter.meterName().replace('.', '_') + unit + total;
  }
}

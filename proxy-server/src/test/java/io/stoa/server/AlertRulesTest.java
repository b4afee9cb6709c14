// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.server.PrometheusFiles.Rule;
import io.stoa.testing.Repository;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The alert rules name existing metrics. Each has a row in the guide and a test of promtool. */
class AlertRulesTest {
  private static final int CELLS = 4;

  @Test
  void rulesNameMetricsOfTheCode() throws IOException {
    Set<String> named = new TreeSet<>();
    for (Rule rule : PrometheusFiles.rules()) {
      assertThat(rule.alert()).startsWith("Stoa");
      assertThat(rule.severity()).isIn("warning", "critical");
      assertThat(rule.summary()).isNotBlank();
      named.addAll(PrometheusFiles.metrics(rule.expression()));
    }
    assertThat(named).hasSizeGreaterThan(20);
    assertThat(PrometheusFiles.known()).containsAll(named);
  }

  @Test
  void theGuideExplainsEachRule() throws IOException {
    List<String> rows = Repository.section("docs/guides/monitoring.md", "alerts");
    assertThat(rows.stream().skip(2))
        .allMatch(row -> row.split("\\|").length == CELLS)
        .map(row -> row.split("\\|")[1].strip())
        .containsExactlyElementsOf(
            PrometheusFiles.rules().stream().map(AlertRulesTest::title).toList());
  }

  private static String title(Rule rule) {
    return Stream.of(rule.alert(), rule.severity(), rule.delay())
        .filter(part -> !part.isEmpty())
        .collect(Collectors.joining(", "));
  }

  @Test
  void eachRuleIsTestedQuietAndFiring() throws IOException {
    List<String> quiet = new ArrayList<>();
    List<String> firing = new ArrayList<>();
    Map<?, ?> tests =
        PrometheusFiles.load(PrometheusFiles.directory().resolve(PrometheusFiles.TESTS));
    for (Map<?, ?> test : PrometheusFiles.maps(tests, "tests")) {
      for (Map<?, ?> check : PrometheusFiles.maps(test, "alert_rule_test")) {
        List<String> to = PrometheusFiles.maps(check, "exp_alerts").isEmpty() ? quiet : firing;
        to.add(PrometheusFiles.text(check, "alertname"));
      }
    }
    List<String> rules = PrometheusFiles.rules().stream().map(Rule::alert).toList();
    assertThat(quiet).containsExactlyElementsOf(rules);
    assertThat(firing).containsExactlyElementsOf(rules);
  }
}

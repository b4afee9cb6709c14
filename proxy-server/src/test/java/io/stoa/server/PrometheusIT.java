// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static io.stoa.server.PrometheusFiles.AFTER_AN_EVENT;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.util.json.JSONObject;
import io.stoa.server.PrometheusFiles.Panel;
import io.stoa.server.PrometheusFiles.Rule;
import io.stoa.testing.Await;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Prometheus scrapes Stoa under load, and evaluates each query of the rules and the dashboard. */
class PrometheusIT {
  private static MonitoredStoa stoa;
  private static Prometheus prometheus;

  @BeforeAll
  static void start() {
    stoa = MonitoredStoa.start();
    prometheus = Prometheus.scraping(stoa.management());
  }

  @AfterAll
  static void stop() {
    prometheus.close();
    stoa.close();
  }

  @Test
  void promtoolAcceptsTheRules() {
    Promtool.Verdict verdict = Promtool.checkRules(PrometheusFiles.RULES);
    assertThat(verdict.code()).as(verdict.text()).isZero();
  }

  @Test
  void eachRuleFiresAsTested() {
    Promtool.Verdict verdict = Promtool.testRules(PrometheusFiles.TESTS);
    assertThat(verdict.code()).as(verdict.text()).isZero();
  }

  @Test
  void eachQueryOfARuleIsEvaluated() throws IOException {
    Set<String> named = new TreeSet<>();
    for (Rule rule : PrometheusFiles.rules()) {
      prometheus.query(rule.expression());
      named.addAll(PrometheusFiles.metrics(rule.expression()));
    }
    assertScraped(named);
  }

  /**
   * A query of a panel has a result, unless it shows rare events. The series are gone for a moment
   * when Stoa answers a scrape too late.
   */
  @Test
  void eachQueryOfTheDashboardIsEvaluated() throws IOException {
    Set<String> named = new TreeSet<>();
    for (Panel panel : PrometheusFiles.panels()) {
      for (String query : panel.queries()) {
        Set<String> metrics = PrometheusFiles.metrics(query);
        prometheus.query(query);
        if (!query.endsWith("> 0") && Collections.disjoint(metrics, AFTER_AN_EVENT.keySet())) {
          Await.until(panel.title() + ": " + query, () -> !prometheus.query(query).isEmpty());
        }
        named.addAll(metrics);
      }
    }
    assertScraped(named);
  }

  /** A metric that is not among the scraped ones appears only after an event. */
  private static void assertScraped(Set<String> named) {
    List<String> missing = new ArrayList<>(named);
    List<String> scraped = prometheus.metrics();
    missing.removeIf(name -> scraped.contains(name) || scraped.contains(name + "_sum"));
    assertThat(AFTER_AN_EVENT.keySet()).containsAll(missing);
  }

  /** The certificate expires in less than two days, and everything else is well. */
  @Test
  void rulesAreHealthyAndOneFires() throws IOException {
    List<String> names = PrometheusFiles.rules().stream().map(Rule::alert).toList();
    Await.until(
        "the rules are evaluated",
        () ->
            prometheus.rules().stream()
                .noneMatch(rule -> "unknown".equals(rule.getFieldAsString("health"))));
    Await.until("the alert fires", () -> firing().contains("StoaCertificateExpiresSoon"));
    List<JSONObject> rules = prometheus.rules();
    assertThat(rules)
        .extracting(rule -> rule.getFieldAsString("name"))
        .containsExactlyInAnyOrderElementsOf(names);
    assertThat(rules).allMatch(rule -> "ok".equals(rule.getFieldAsString("health")));
    assertThat(firing()).containsExactly("StoaCertificateExpiresSoon");
  }

  private static List<String> firing() {
    return prometheus.rules().stream()
        .filter(rule -> "firing".equals(rule.getFieldAsString("state")))
        .map(rule -> rule.getFieldAsString("name"))
        .toList();
  }
}

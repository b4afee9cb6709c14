// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.metrics.ProxyMeters;
import io.stoa.testing.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The files for Prometheus in contrib, and the metrics that they may name. Stateless. */
final class PrometheusFiles {
  static final String RULES = "stoa-alerts.yaml";
  static final String TESTS = "stoa-alerts-test.yaml";

  /**
   * Metrics that a query may name before Stoa shows them, with the event that makes them appear.
   */
  static final Map<String, String> AFTER_AN_EVENT =
      Map.of("jvm_gc_pause_seconds", "a garbage collection");

  private static final Pattern METRIC = Pattern.compile("\\b(?:stoa|jvm|process|system)_[a-z_]+");
  private static final LoadSettings YAML = LoadSettings.builder().build();

  private PrometheusFiles() {}

  /**
   * An alert rule.
   *
   * @param delay the time for which the condition must hold; empty if the rule fires at once
   */
  record Rule(String alert, String expression, String severity, String delay, String summary) {}

  /** A panel of the dashboard. Its queries have values in the place of variables. */
  record Panel(String title, List<String> queries, Map<?, ?> json) {}

  /** The dashboard as Grafana imports it. */
  static Map<?, ?> dashboard() throws IOException {
    return load(Repository.root().resolve("contrib/grafana/stoa.json"));
  }

  /** The panels that show data; rows only part them. */
  static List<Panel> panels() throws IOException {
    List<Panel> panels = new ArrayList<>();
    for (Map<?, ?> panel : maps(dashboard(), "panels")) {
      if (!"row".equals(panel.get("type"))) {
        List<String> queries =
            maps(panel, "targets").stream().map(one -> ofGrafana(text(one, "expr"))).toList();
        panels.add(new Panel(text(panel, "title"), queries, panel));
      }
    }
    return panels;
  }

  private static String ofGrafana(String query) {
    return query
        .replace("$__rate_interval", "1m")
        .replace("$job", "stoa")
        .replace("$instance", ".*");
  }

  static Path directory() {
    return Repository.root().resolve("contrib/prometheus");
  }

  static List<Rule> rules() throws IOException {
    List<Rule> rules = new ArrayList<>();
    for (Map<?, ?> group : maps(load(directory().resolve(RULES)), "groups")) {
      for (Map<?, ?> rule : maps(group, "rules")) {
        rules.add(
            new Rule(
                text(rule, "alert"),
                text(rule, "expr"),
                text((Map<?, ?>) rule.get("labels"), "severity"),
                rule.containsKey("for") ? text(rule, "for") : "",
                text((Map<?, ?>) rule.get("annotations"), "summary")));
      }
    }
    return rules;
  }

  /** Names of the metrics in a query, without the suffixes of summaries and histograms. */
  static Set<String> metrics(String query) {
    Set<String> names = new TreeSet<>();
    METRIC
        .matcher(query.replaceAll("\\bby \\([^)]*\\)", ""))
        .results()
        .forEach(name -> names.add(name.group().replaceFirst("_(sum|count|bucket)$", "")));
    return names;
  }

  /** Names of the documented metrics, and of those in {@link #AFTER_AN_EVENT}. */
  static Set<String> known() throws IOException {
    Set<String> known = new HashSet<>(MetricsDocsTest.processMetrics());
    known.addAll(AFTER_AN_EVENT.keySet());
    Stream.of(ProxyMeters.values()).map(MetricsDocsTest::prometheusName).forEach(known::add);
    return known;
  }

  /** Reads a file in YAML or JSON. */
  static Map<?, ?> load(Path file) throws IOException {
    return (Map<?, ?>) new Load(YAML).loadFromString(Files.readString(file));
  }

  static List<Map<?, ?>> maps(Map<?, ?> map, String key) {
    List<Map<?, ?>> maps = new ArrayList<>();
    assertThat(map.get(key)).as(key).isInstanceOf(List.class);
    ((List<?>) map.get(key)).forEach(one -> maps.add((Map<?, ?>) one));
    return maps;
  }

  static String text(Map<?, ?> map, String key) {
    assertThat(map.get(key)).as(key + " of " + map).isInstanceOf(String.class);
    return (String) map.get(key);
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.metrics.ProxyMeters;
import io.stoa.testing.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The alert rules of docs/guides/monitoring.md are well-formed, and name metrics that exist. */
class AlertRulesDocsTest {
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```yml\\n(.*?)^```$");
  private static final Pattern METRIC = Pattern.compile("stoa_[a-z_]+");

  @Test
  void rulesNameMetricsOfTheCode() throws IOException {
    Set<String> known =
        Stream.of(ProxyMeters.values())
            .map(MetricsDocsTest::prometheusName)
            .collect(Collectors.toSet());
    Set<String> named = new TreeSet<>();
    for (Map<?, ?> rule : rules()) {
      assertThat(rule.get("alert")).asString().startsWith("Stoa");
      assertThat(rule.get("labels")).asString().contains("severity=");
      assertThat(rule.get("annotations")).asString().contains("summary=");
      METRIC
          .matcher(String.valueOf(rule.get("expr")))
          .results()
          .map((MatchResult metric) -> metric.group())
          .forEach(named::add);
    }
    assertThat(named).hasSizeGreaterThan(10);
    assertThat(known).containsAll(named);
  }

  private static List<Map<?, ?>> rules() throws IOException {
    String page = Files.readString(Repository.root().resolve("docs/guides/monitoring.md"));
    Matcher block = BLOCK.matcher(page);
    assertThat(block.find()).isTrue();
    List<Map<?, ?>> rules = new ArrayList<>();
    Object file = new Load(LoadSettings.builder().build()).loadFromString(block.group(1));
    for (Object group : list(file, "groups")) {
      list(group, "rules").forEach(rule -> rules.add((Map<?, ?>) rule));
    }
    return rules;
  }

  private static List<?> list(Object map, String key) {
    Object value = ((Map<?, ?>) map).get(key);
    assertThat(value).isInstanceOf(List.class);
    return (List<?>) value;
  }
}

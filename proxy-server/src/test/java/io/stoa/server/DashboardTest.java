// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.server.PrometheusFiles.Panel;
import java.awt.Rectangle;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The dashboard has the form of Grafana, and names metrics that exist. */
class DashboardTest {
  /** Columns of Grafana's grid. */
  private static final int COLUMNS = 24;

  /** Version of the form that Grafana 11 writes; later ones convert it. */
  private static final int SCHEMA = 39;

  private static final Pattern VARIABLE = Pattern.compile("\\$\\{?(\\w+)");

  @Test
  void panelsNameMetricsOfTheCode() throws IOException {
    Set<String> named = new TreeSet<>();
    for (Panel panel : PrometheusFiles.panels()) {
      panel.queries().forEach(query -> named.addAll(PrometheusFiles.metrics(query)));
    }
    assertThat(named).hasSizeGreaterThan(70);
    assertThat(PrometheusFiles.known()).containsAll(named);
  }

  @Test
  void eachPanelIsExplainedAndReadsTheChosenSource() throws IOException {
    for (Panel panel : PrometheusFiles.panels()) {
      assertThat(PrometheusFiles.text(panel.json(), "description")).endsWith(".");
      assertThat(source(panel.json())).as(panel.title()).isEqualTo("${datasource}");
      Set<Object> letters = new HashSet<>();
      for (Map<?, ?> target : PrometheusFiles.maps(panel.json(), "targets")) {
        assertThat(letters.add(target.get("refId"))).isTrue();
        assertThat(source(target)).isEqualTo("${datasource}");
        assertThat(PrometheusFiles.text(target, "expr")).contains("job=~\"$job\"");
      }
    }
  }

  private static Object source(Map<?, ?> json) {
    return ((Map<?, ?>) json.get("datasource")).get("uid");
  }

  @Test
  void everyVariableIsDefined() throws IOException {
    Map<?, ?> dashboard = PrometheusFiles.dashboard();
    Set<String> used = new HashSet<>();
    VARIABLE.matcher(dashboard.toString()).results().forEach(one -> used.add(one.group(1)));
    assertThat(PrometheusFiles.maps((Map<?, ?>) dashboard.get("templating"), "list"))
        .extracting(variable -> PrometheusFiles.text(variable, "name"))
        .containsExactly("datasource", "job", "instance")
        .containsAll(used.stream().filter(name -> !name.startsWith("__")).toList());
  }

  /** Grafana gives the dashboard its number when it imports it. */
  @Test
  void panelsHaveNumbersAndPlacesOfTheirOwn() throws IOException {
    Map<?, ?> dashboard = PrometheusFiles.dashboard();
    assertThat(dashboard.get("schemaVersion")).isEqualTo(SCHEMA);
    assertThat(dashboard.get("id")).isNull();
    Set<Object> numbers = new HashSet<>();
    List<Rectangle> places = new ArrayList<>();
    for (Map<?, ?> panel : PrometheusFiles.maps(dashboard, "panels")) {
      assertThat(numbers.add(panel.get("id"))).isTrue();
      Rectangle place = place((Map<?, ?>) panel.get("gridPos"));
      assertThat(places).as("%s", panel.get("title")).noneMatch(place::intersects);
      assertThat(place.getMaxX()).isLessThanOrEqualTo(COLUMNS);
      places.add(place);
    }
  }

  private static Rectangle place(Map<?, ?> grid) {
    return new Rectangle(
        (int) grid.get("x"), (int) grid.get("y"), (int) grid.get("w"), (int) grid.get("h"));
  }
}

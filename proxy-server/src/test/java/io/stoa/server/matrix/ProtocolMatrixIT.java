// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.protocol.Oids;
import io.stoa.server.GeneratedSection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The matrix of docs/reference/protocol.md: operations, controls and mechanisms of LDAP, on every
 * server, in every mode.
 */
class ProtocolMatrixIT {
  /** What no proxy can pass on, or only where it says so itself. */
  private static final Set<String> NOT_SHOWN = Set.of(Oids.TURN, "EXTERNAL", Oids.START_TLS);

  private static final List<Column> COLUMNS =
      List.of(
          new Column(ServerUnderTest.SLAPD, Mode.PASS_THROUGH),
          new Column(ServerUnderTest.SLAPD, Mode.PROXIED),
          new Column(ServerUnderTest.DS389, Mode.PASS_THROUGH),
          new Column(ServerUnderTest.DS389, Mode.PROXIED),
          new Column(ServerUnderTest.SAMBA, Mode.PASS_THROUGH));

  @BeforeAll
  static void run() {
    COLUMNS.forEach(Column::run);
  }

  @Test
  void everyAnswerIsThatOfTheServerOrADocumentedDifference() {
    assertThat(COLUMNS.stream().flatMap(column -> column.differences().stream())).isEmpty();
  }

  @Test
  void theMatrixIsAsDocumented() throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add("| specification | subject | " + cells(Column::title));
    lines.add("|---|---|" + COLUMNS.stream().map(column -> "---|").collect(Collectors.joining()));
    for (Row row : Rows.ALL) {
      lines.add(line(row.specification(), row.subject()) + cells(column -> column.cell(row)));
    }
    lines.add(line(RootDseItems.SPECIFICATION, RootDseItems.SUBJECT) + cells(Column::honest));
    GeneratedSection.check("docs/reference/protocol.md", "matrix", lines);
  }

  private static String line(String specification, String subject) {
    return "| " + specification + " | " + subject + " | ";
  }

  private static String cells(Function<Column, String> cell) {
    return COLUMNS.stream()
        .map(column -> cell.apply(column) + " |")
        .collect(Collectors.joining(" "));
  }

  /** Every row applies somewhere: a row that is nowhere tried proves nothing. */
  @Test
  void everyRowIsTriedOnSomeServer() {
    assertThat(Rows.ALL)
        .filteredOn(row -> COLUMNS.stream().allMatch(column -> column.cell(row).equals("n/a")))
        .extracting(Row::subject)
        .isEmpty();
  }

  /** Whatever Stoa shows, the server has; what it does not show is what cannot pass a proxy. */
  @Test
  void theRootDseIsHonest() {
    SoftAssertions all = new SoftAssertions();
    for (Column column : COLUMNS) {
      Set<String> hidden = new TreeSet<>(column.listed().all());
      hidden.removeAll(column.shown().all());
      all.assertThat(hidden).as(column.title() + " hides").isSubsetOf(NOT_SHOWN);
      all.assertThat(column.listed().all()).as(column.title()).containsAll(column.shown().all());
    }
    all.assertAll();
  }
}

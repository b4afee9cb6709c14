// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.matrix;

import io.stoa.server.StoaProcess;
import io.stoa.server.differential.Dialer;
import io.stoa.server.differential.DifferentialRun;
import io.stoa.server.differential.Hits;
import io.stoa.server.differential.Report;
import io.stoa.testing.Certificates;
import io.stoa.testing.DirectoryServer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * One column of the matrix: a server with Stoa in front in one mode, and its twin. Not thread-safe.
 */
final class Column {
  private static final String DIFFERS = "differs";

  private final ServerUnderTest kind;
  private final Mode mode;
  private final Map<Row, String> cells = new LinkedHashMap<>();
  private final List<String> differences = new ArrayList<>();
  private String honest = "n/a";
  private RootDse listed = RootDse.EMPTY;
  private RootDse shown = RootDse.EMPTY;

  Column(ServerUnderTest kind, Mode mode) {
    this.kind = kind;
    this.mode = mode;
  }

  /** Runs all rows. */
  Column run() {
    try (Certificates certificates = Certificates.create();
        DirectoryServer direct = kind.start(certificates);
        DirectoryServer behind = kind.start(certificates)) {
      run(direct, behind, certificates);
    }
    return this;
  }

  private void run(DirectoryServer direct, DirectoryServer behind, Certificates certificates) {
    RootDse server = RootDse.read(direct.address());
    try (StoaProcess stoa = mode.before(behind, server, certificates)) {
      DifferentialRun run =
          new DifferentialRun(
              direct.address(), stoa.address(), Dialer.PLAIN, Hits.NOT_COUNTED, kind.rules());
      Rows.ALL.forEach(row -> cells.put(row, cell(row, server, run)));
      shown = RootDse.read(stoa.address());
      listed = server;
      honest = cell(RootDseItems.SUBJECT, () -> run.run(RootDseItems.script(shown, kind.names())));
    }
  }

  private String cell(Row row, RootDse server, DifferentialRun run) {
    if (!row.applies().test(server)) {
      return "n/a";
    }
    return cell(row.subject(), () -> run.run(row.script(kind.names())));
  }

  private String cell(String subject, Supplier<Report> run) {
    try {
      return cell(run.get());
    } catch (AssertionError e) {
      differences.add(title() + ": " + subject + ": " + e.getMessage());
      return DIFFERS;
    }
  }

  private String cell(Report report) {
    report.differences().forEach(difference -> differences.add(title() + ": " + difference));
    if (!report.differences().isEmpty()) {
      return DIFFERS;
    }
    return report.documented().isEmpty() ? "same" : numbers(report);
  }

  private static String numbers(Report report) {
    return report.documented().stream()
        .map(name -> Integer.toString(Difference.valueOf(name).number()))
        .collect(Collectors.joining(", "));
  }

  String title() {
    return kind.title() + ", " + mode.title();
  }

  String cell(Row row) {
    return cells.getOrDefault(row, "n/a");
  }

  /** The cell of everything that the root DSE lists. */
  String honest() {
    return honest;
  }

  /** What the server lists. */
  RootDse listed() {
    return listed;
  }

  /** What Stoa lists. */
  RootDse shown() {
    return shown;
  }

  /** Differences that are not documented. */
  List<String> differences() {
    return differences;
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.loadtest.run.Experiment;
import io.stoa.testing.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

/** docs/internals/load-tests.md names all experiments, and only commands that exist. */
class LoadTestsDocsTest {
  private static final String DOCUMENT = "docs/internals/load-tests.md";
  private static final String COMMAND = "    ./dev load";

  @Test
  void tableNamesAllExperiments() throws IOException {
    List<String> rows = Repository.section(DOCUMENT, "experiments");
    assertThat(
            rows.subList(2, rows.size()).stream().map(row -> row.replaceAll("\\| [^|]* \\|$", "|")))
        .containsExactlyElementsOf(
            Experiments.ALL.stream()
                .map(one -> "| `" + one.name() + "` | " + one.about() + " |")
                .toList());
  }

  @Test
  void commandsExist() throws IOException {
    List<String> commands =
        Files.readAllLines(Repository.root().resolve(DOCUMENT)).stream()
            .filter(line -> line.startsWith(COMMAND))
            .map(line -> line.substring(COMMAND.length()).replaceAll("#.*", "").strip())
            .toList();
    assertThat(commands).isNotEmpty().contains("");
    assertThat(Experiments.ALL.stream().map(Experiment::name))
        .containsAll(commands.stream().filter(name -> !name.isEmpty()).toList());
    assertThat(Files.readString(Repository.root().resolve("dev"))).contains("  load NAME ");
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.server.GeneratedSection;
import io.stoa.testing.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks the invariants, tests and bugs of docs/internals/coherence.md. */
class CoherenceDocsTest {
  private static final Pattern MUTANT = Pattern.compile("^  ([A-Z_]+)\\(", Pattern.MULTILINE);
  private static final Pattern NAMED = Pattern.compile("`([A-Z_]+)`");

  @Test
  void everyTestThatIsNamedExists() throws IOException {
    Set<String> named = new TreeSet<>();
    Stream.concat(Invariants.ALL.stream(), Invariants.BUGS.stream())
        .forEach(promise -> named.addAll(promise.tests()));
    named.removeAll(TestNames.all());
    assertThat(named).as("tests named in docs/internals/coherence.md that do not exist").isEmpty();
  }

  @Test
  void everyBugThatIsNamedIsPutIn() throws IOException {
    String source =
        Files.readString(
            Repository.root().resolve("proxy-core/src/test/java/io/stoa/sim/Mutant.java"));
    Set<String> there = new TreeSet<>();
    Matcher mutants = MUTANT.matcher(source);
    while (mutants.find()) {
      there.add(mutants.group(1));
    }
    for (Promise bug : Invariants.BUGS) {
      Matcher named = NAMED.matcher(bug.what());
      assertThat(!named.find() || there.contains(named.group(1))).as(bug.what()).isTrue();
    }
  }

  @Test
  void invariantsAreDocumentedAsTheyAreTested() throws IOException {
    GeneratedSection.check(
        "docs/internals/coherence.md", "invariants", table("", "invariant", Invariants.ALL));
    GeneratedSection.check(
        "docs/internals/coherence.md", "bugs", table("bug", "breaks", Invariants.BUGS));
  }

  private static List<String> table(String first, String second, List<Promise> rows) {
    List<String> lines = new ArrayList<>();
    lines.add("| " + first + " | " + second + " | tests |");
    lines.add("|---|---|---|");
    rows.forEach(row -> lines.add(row.row()));
    return lines;
  }
}

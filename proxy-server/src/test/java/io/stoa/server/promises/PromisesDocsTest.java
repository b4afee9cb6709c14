// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.promises;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.server.GeneratedSection;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks the tables of docs/internals/promises.md: each named test exists. */
class PromisesDocsTest {
  @Test
  void everyTestThatIsNamedExists() throws IOException {
    Set<String> named = new TreeSet<>();
    everything().forEach(promise -> named.addAll(promise.tests()));
    named.removeAll(TestNames.all());
    assertThat(named).as("tests named in docs/internals/promises.md that do not exist").isEmpty();
  }

  private static Stream<Promise> everything() {
    return Stream.concat(UserComplaints.ALL.stream(), HostileInput.ALL.stream());
  }

  @Test
  void promisesAreDocumentedAsTheyAreTested() throws IOException {
    GeneratedSection.check(
        "docs/internals/promises.md", "users", table("complaint", UserComplaints.ALL));
    GeneratedSection.check(
        "docs/internals/promises.md", "hostile", table("input", HostileInput.ALL));
  }

  private static List<String> table(String first, List<Promise> promises) {
    List<String> lines = new ArrayList<>();
    lines.add("| " + first + " | behaviour of Stoa | tests |");
    lines.add("|---|---|---|");
    promises.forEach(promise -> lines.add(promise.row()));
    return lines;
  }
}

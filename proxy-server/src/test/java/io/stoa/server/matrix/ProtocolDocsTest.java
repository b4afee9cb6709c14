// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.matrix;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.server.GeneratedSection;
import io.stoa.testing.Repository;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The documented differences are those of the tests, few, and each of them is met. */
class ProtocolDocsTest {
  private static final String DOCUMENT = "docs/reference/protocol.md";
  private static final int MAX = 10;

  @Test
  void differencesAreDocumentedAsTheyAre() throws IOException {
    List<String> lines = new ArrayList<>();
    lines.add("| | difference | reason |");
    lines.add("|---|---|---|");
    for (Difference difference : Difference.values()) {
      lines.add(
          "| %d | %s | %s |".formatted(difference.number(), difference.what(), difference.why()));
    }
    GeneratedSection.check(DOCUMENT, "differences", lines);
    assertThat(Difference.values()).hasSizeLessThanOrEqualTo(MAX);
  }

  @Test
  void everyDifferenceIsInTheMatrix() throws IOException {
    String matrix = String.join("\n", Repository.section(DOCUMENT, "matrix"));
    assertThat(Stream.of(Difference.values()))
        .allMatch(
            difference ->
                Pattern.compile("\\| (\\d, )*" + difference.number() + "(, \\d)* \\|")
                    .matcher(matrix)
                    .find());
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every relative link in the documents of the repository leads to a file and a heading. */
class DocumentationLinksTest {
  private static final Pattern INDEXED = Pattern.compile("\\]\\(([a-z-]+(?:/[a-z-]+)?\\.md)\\)");
  private static final Pattern RECORD = Pattern.compile("\\d{4}-.*\\.md");
  private static final List<String> KINDS = List.of("", "guides", "reference", "internals");

  @Test
  void noLinkIsBroken() throws IOException {
    List<Path> documents = documents();
    assertThat(documents).contains(Repository.root().resolve("README.md"));
    assertThat(MarkdownLinks.broken(documents)).isEmpty();
  }

  @Test
  void theIndexNamesEveryPage() throws IOException {
    Path docs = Repository.root().resolve("docs");
    Set<Path> indexed = new HashSet<>();
    Matcher link = INDEXED.matcher(Files.readString(docs.resolve("README.md")));
    while (link.find()) {
      indexed.add(docs.resolve(link.group(1)));
    }
    for (String kind : KINDS) {
      try (Stream<Path> pages = Files.list(docs.resolve(kind))) {
        assertThat(pages.filter(page -> page.toString().endsWith(".md")))
            .filteredOn(page -> !page.endsWith("docs/README.md"))
            .isSubsetOf(indexed);
      }
    }
  }

  @Test
  void theIndexOfDecisionsNamesEveryRecordWithItsTitle() throws IOException {
    Path decisions = Repository.root().resolve("docs/decisions");
    List<String> rows = new ArrayList<>();
    try (Stream<Path> records = Files.list(decisions)) {
      for (Path record : records.sorted().toList()) {
        String name = record.getFileName().toString();
        if (RECORD.matcher(name).matches()) {
          String title = Files.readAllLines(record).get(0).replaceFirst("^# ", "");
          rows.add("| [%s](%s) | %s |".formatted(name.substring(0, 4), name, title));
        }
      }
    }
    assertThat(Files.readAllLines(decisions.resolve("README.md")))
        .filteredOn(line -> line.startsWith("| ["))
        .isNotEmpty()
        .isEqualTo(rows);
  }

  /**
   * Returns the pages at the root, and the pages below docs. DistributionIT checks the packed
   * pages.
   */
  private static List<Path> documents() throws IOException {
    Path root = Repository.root();
    try (Stream<Path> top = Files.list(root)) {
      return Stream.concat(
              top.filter(file -> file.toString().endsWith(".md")),
              MarkdownLinks.documents(root.resolve("docs")).stream())
          .toList();
    }
  }
}

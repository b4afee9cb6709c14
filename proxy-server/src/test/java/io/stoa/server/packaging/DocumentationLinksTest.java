// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

  /** Those at the root, and those below docs. The packed ones are checked by DistributionIT. */
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

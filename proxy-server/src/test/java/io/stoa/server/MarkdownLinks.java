// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The links of Markdown documents that name files. Stateless. */
final class MarkdownLinks {
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#\\s]+)(?:#[^)]*)?\\)");
  private static final Pattern ELSEWHERE = Pattern.compile("^[a-z]+:.*");

  private MarkdownLinks() {}

  /** All documents in a directory and below it. */
  static List<Path> documents(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(file -> file.toString().endsWith(".md")).sorted().toList();
    }
  }

  /** The links that lead to no file, each after the name of its document. */
  static List<String> broken(List<Path> documents) {
    return documents.stream().flatMap(MarkdownLinks::broken).toList();
  }

  private static Stream<String> broken(Path document) {
    return targets(document)
        .filter(target -> !Files.exists(document.resolveSibling(target)))
        .map(target -> document + ": " + target);
  }

  private static Stream<String> targets(Path document) {
    try {
      return LINK.matcher(Files.readString(document))
          .results()
          .map((MatchResult link) -> link.group(1))
          .filter(target -> !ELSEWHERE.matcher(target).matches());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

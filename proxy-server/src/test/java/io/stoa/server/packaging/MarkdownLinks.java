// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.packaging;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The relative links of Markdown documents: their files, and the headings they name. Stateless. */
final class MarkdownLinks {
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern ELSEWHERE = Pattern.compile("^[a-z]+:.*");
  private static final Pattern CODE = Pattern.compile("(?ms)^ *```.*?^ *```$|`[^`\\n]+`");
  private static final Pattern FENCE = Pattern.compile("(?ms)^ *```.*?^ *```$");
  private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.*?) *$");
  private static final Pattern ANCHOR = Pattern.compile("<a id=\"([^\"]+)\">");

  private MarkdownLinks() {}

  /** All documents in a directory and below it. */
  static List<Path> documents(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(file -> file.toString().endsWith(".md")).sorted().toList();
    }
  }

  /** The links without a file or a heading, each after the name of its document. */
  static List<String> broken(List<Path> documents) {
    return documents.stream().flatMap(MarkdownLinks::broken).toList();
  }

  private static Stream<String> broken(Path document) {
    return LINK.matcher(CODE.matcher(read(document)).replaceAll(""))
        .results()
        .map((MatchResult link) -> link.group(1))
        .filter(target -> !ELSEWHERE.matcher(target).matches())
        .filter(target -> !resolves(document, target))
        .map(target -> document + ": " + target);
  }

  private static boolean resolves(Path document, String target) {
    int hash = target.indexOf('#');
    String name = hash < 0 ? target : target.substring(0, hash);
    Path file = name.isEmpty() ? document : document.resolveSibling(name);
    return Files.exists(file)
        && (hash < 0
            || !file.toString().endsWith(".md")
            || anchors(file).contains(target.substring(hash + 1)));
  }

  /** The anchors of a document, as GitHub makes them of its headings. */
  static Set<String> anchors(Path document) {
    String text = FENCE.matcher(read(document)).replaceAll("");
    Set<String> anchors = new HashSet<>();
    Map<String, Integer> times = new HashMap<>();
    HEADING
        .matcher(text)
        .results()
        .map((MatchResult heading) -> anchor(heading.group(1)))
        .forEach(
            anchor -> {
              int before = times.merge(anchor, 1, Integer::sum) - 1;
              anchors.add(before == 0 ? anchor : anchor + "-" + before);
            });
    ANCHOR.matcher(text).results().forEach(anchor -> anchors.add(anchor.group(1)));
    return anchors;
  }

  private static String anchor(String heading) {
    return heading
        .replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1")
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{L}\\p{N}_ -]", "")
        .replace(' ', '-');
  }

  private static String read(Path document) {
    try {
      return Files.readString(document);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Prose;
import io.stoa.testing.Prose.Sentence;
import io.stoa.testing.Repository;
import io.stoa.testing.RetiredWords;
import io.stoa.testing.SourceMeter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Sentences of Javadoc and of the documentation, as far as a machine can judge them: the subject
 * comes first, no sentence is long, and no retired word stands for a term of the glossary.
 */
class SentencesTest {
  /** Maximum words of a sentence. */
  private static final int MAX_WORDS = 35;

  /** Maximum median of words. */
  private static final int MEDIAN = 16;

  /** Words that hide the subject of a sentence. */
  private static final Set<String> RIDDLES =
      Set.of("What", "Who", "Whoever", "Whom", "Whose", "Those", "That", "It");

  private static final Pattern COMMENT = Pattern.compile("(?m)^\\s*/?\\*.*$|//.*$");

  /** A name by which Maven finds a test. */
  private static final Pattern TEST_NAME = Pattern.compile("\\b[A-Z]\\w*[a-z0-9](?:IT|Test)\\b");

  /** A control of RFC 3296, and forms of names. */
  private static final Set<String> NO_TESTS = Set.of("ManageDsaIT", "DocsTest", "XFuzzTest");

  private static List<Sentence> javadoc;
  private static List<Sentence> pages;
  private static List<Sentence> cells;

  @BeforeAll
  static void read() throws IOException {
    javadoc =
        SourceMeter.measure(Repository.mainSources()).comments().stream()
            .flatMap(comment -> Prose.ofJavadoc(comment.where(), comment.text()))
            .toList();
    pages =
        Repository.documents().stream()
            .flatMap(page -> Prose.ofMarkdown(page.getFileName().toString(), text(page)))
            .toList();
    cells =
        Repository.documents().stream()
            .flatMap(page -> Prose.ofCells(page.getFileName().toString(), text(page)))
            .toList();
  }

  private static String text(Path page) {
    try {
      return Files.readString(page);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sentences of the pages and of Javadoc; headings are no sentences. */
  private static Stream<Sentence> all() {
    return Stream.concat(javadoc.stream(), pages.stream());
  }

  @Test
  void sentencesBeginWithTheirSubject() {
    assertThat(all())
        .filteredOn(one -> RIDDLES.contains(one.firstWord()) && !one.text().startsWith("Who am I"))
        .isEmpty();
  }

  /** Cells of tables may begin in lower case, but with a noun, too. */
  @Test
  void cellsBeginWithTheirSubject() {
    assertThat(cells)
        .hasSizeGreaterThan(1_000)
        .filteredOn(cell -> RIDDLES.contains(capitalized(cell.firstWord())))
        .filteredOn(cell -> !cell.text().startsWith("Who am I"))
        .isEmpty();
  }

  private static String capitalized(String word) {
    return word.isEmpty()
        ? word
        : word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1);
  }

  @Test
  void sentencesAreShort() {
    assertThat(all()).filteredOn(one -> one.words() > MAX_WORDS).isEmpty();
    assertThat(median(javadoc)).isBetween(1, MEDIAN);
    assertThat(median(pages)).isBetween(1, MEDIAN);
  }

  private static int median(List<Sentence> sentences) {
    List<Integer> words = sentences.stream().map(Sentence::words).sorted().toList();
    return words.get(words.size() / 2);
  }

  /** A comment or a page that names a test names one that can be run. */
  @Test
  void everyNamedTestExists() {
    Set<String> names =
        Repository.sources().stream()
            .map(file -> file.getFileName().toString().replace(".java", ""))
            .collect(Collectors.toSet());
    Stream<Path> files =
        Stream.concat(Repository.sources().stream(), Repository.documents().stream());
    assertThat(files.flatMap(file -> namedTests(file).filter(name -> !names.contains(name))))
        .allMatch(NO_TESTS::contains);
  }

  private static Stream<String> namedTests(Path file) {
    Stream<MatchResult> parts =
        file.toString().endsWith(".java")
            ? COMMENT.matcher(text(file)).results()
            : Pattern.compile("(?s).+").matcher(text(file)).results();
    return parts.flatMap(part -> TEST_NAME.matcher(part.group()).results()).map(MatchResult::group);
  }

  @Test
  void noSentenceHoldsARetiredWord() {
    assertThat(all()).filteredOn(one -> RetiredWords.areIn(one.text())).isEmpty();
  }
}

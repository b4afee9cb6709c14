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
import java.util.Set;
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

  private static List<Sentence> javadoc;
  private static List<Sentence> pages;

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

  @Test
  void noSentenceHoldsARetiredWord() {
    assertThat(all()).filteredOn(one -> RetiredWords.areIn(one.text())).isEmpty();
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.protocol.ProtocolError;
import io.stoa.operation.Rejection;
import io.stoa.testing.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The messages of the documents are those of the code, and each warning and error of the code has a
 * row. In the first column of their tables a message stands in backticks, with … for each part that
 * differs from line to line.
 */
class MessagesDocsTest {
  private static final String REFERENCE = "docs/reference/messages.md";
  private static final List<String> PAGES = List.of("docs/guides/troubleshooting.md", REFERENCE);

  /** A table of messages. The other tables have names in their first column. */
  private static final Pattern TABLE =
      Pattern.compile("(?m)^\\| (?:symptom|line) \\|.*\\n\\|[-|]+\\|\\n((?:\\|.*\\n)+)");

  private static final Pattern ROW = Pattern.compile("(?m)^\\| ([^|\\n]*) \\|");
  private static final Pattern SPAN = Pattern.compile("`([^`\\n]+)`");

  /** Warnings and errors without a row, by class, with the reason. */
  private static final Map<String, String> WITHOUT_ROW =
      Map.of(
          "DemoReplication", "only stoa demo logs it",
          "PressureLog", "the text is that of its users, each of which has a row");

  @Test
  void everyMessageIsOneOfTheCode() throws IOException {
    List<SourceTexts.Text> texts = SourceTexts.all();
    Set<String> missing = new TreeSet<>();
    List<String> messages = messages();
    for (String message : messages) {
      if (texts.stream().noneMatch(text -> hasInOrder(text.text(), message))) {
        missing.add(message);
      }
    }
    assertThat(missing).isEmpty();
    assertThat(messages).hasSizeGreaterThan(100);
  }

  @Test
  void everyWarningAndErrorHasARow() throws IOException {
    List<Pattern> rows = messages().stream().map(MessagesDocsTest::pattern).toList();
    List<SourceTexts.Text> warnings = SourceTexts.warnings();
    Set<String> missing = new TreeSet<>();
    for (SourceTexts.Text one : warnings) {
      String line = one.text().replace("{}", SourceTexts.GAP);
      boolean named = rows.stream().anyMatch(row -> row.matcher(line).matches());
      if (!named && !WITHOUT_ROW.containsKey(one.file())) {
        missing.add(one.file() + ": " + line);
      }
    }
    assertThat(missing).isEmpty();
    assertThat(warnings).hasSizeGreaterThan(60);
  }

  /** Fragments of one text in another order, or of two texts, are no message. */
  @Test
  void aMessageIsOneTextInOrder() {
    assertThat(hasInOrder("change feed disabled{}: {}; {}", "change feed disabled…: …; …"))
        .isTrue();
    assertThat(hasInOrder("change feed disabled{}: {}; {}", "no feed…: …; …")).isFalse();
    assertThat(hasInOrder("b {} a", "a … b")).isFalse();
    assertThat(pattern("… failed: …").matcher("a failed: b").matches()).isTrue();
    assertThat(pattern("failed: …").matcher("a failed: b").matches()).isFalse();
  }

  private static List<String> messages() throws IOException {
    List<String> messages = new ArrayList<>();
    for (String page : PAGES) {
      String text = Files.readString(Repository.root().resolve(page));
      TABLE
          .matcher(text)
          .results()
          .flatMap(table -> ROW.matcher(table.group(1)).results())
          .flatMap(row -> SPAN.matcher(row.group(1)).results())
          .forEach(span -> messages.add(span.group(1)));
    }
    return messages;
  }

  /** True if the text has the fragments of the message, one after the other. */
  private static boolean hasInOrder(String text, String message) {
    int at = 0;
    for (String fragment : message.split(SourceTexts.GAP)) {
      int found = text.indexOf(fragment.strip(), at);
      if (found < 0) {
        return false;
      }
      at = found + fragment.strip().length();
    }
    return true;
  }

  private static Pattern pattern(String message) {
    return Pattern.compile(
        Stream.of(message.split(SourceTexts.GAP, -1))
            .map(Pattern::quote)
            .collect(Collectors.joining(".*")),
        Pattern.DOTALL);
  }

  @Test
  void refusalsAreDocumentedAsTheyAre() throws IOException {
    List<String> lines =
        new ArrayList<>(List.of("| reason | result code | text | logged |", "|---|---|---|---|"));
    for (Rejection reason : Rejection.values()) {
      lines.add(
          "| `%s` | %d | %s | %s |"
              .formatted(
                  reason.name(),
                  reason.resultCode(),
                  reason.diagnostic(),
                  reason.isLogged() ? "yes" : "no"));
    }
    GeneratedSection.check(REFERENCE, "refusals", lines);
  }

  @Test
  void protocolErrorsAreDocumentedAsTheyAre() throws IOException {
    List<String> lines = new ArrayList<>(List.of("| reason | text |", "|---|---|"));
    for (ProtocolError reason : ProtocolError.values()) {
      lines.add("| `%s` | %s |".formatted(reason.name(), reason.text()));
    }
    GeneratedSection.check(REFERENCE, "protocol-errors", lines);
  }
}

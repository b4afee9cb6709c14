// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.protocol.ProtocolError;
import io.stoa.operation.Rejection;
import io.stoa.testing.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The messages of the documents are those of the code. In the first column of their tables a
 * message stands in backticks, with … for each part that differs from line to line.
 */
class MessagesDocsTest {
  private static final String REFERENCE = "docs/reference/messages.md";
  private static final List<String> PAGES = List.of("docs/guides/troubleshooting.md", REFERENCE);
  private static final Pattern ROW = Pattern.compile("(?m)^\\| ([^|\\n]*) \\|");
  private static final Pattern SPAN = Pattern.compile("`([^`\\n]+)`");
  private static final Pattern CONCATENATION = Pattern.compile("\"\\s*\\+\\s*\"");
  private static final int SHORTEST = 4;

  @Test
  void everyMessageIsOneOfTheCode() throws IOException {
    String code = code();
    Set<String> missing = new TreeSet<>();
    int messages = 0;
    for (String page : PAGES) {
      Matcher row = ROW.matcher(Files.readString(Repository.root().resolve(page)));
      while (row.find()) {
        Matcher span = SPAN.matcher(row.group(1));
        while (span.find()) {
          messages++;
          for (String part : span.group(1).split("…")) {
            if (part.strip().length() >= SHORTEST && !code.contains(part.strip())) {
              missing.add(page + ": " + part.strip());
            }
          }
        }
      }
    }
    assertThat(missing).isEmpty();
    assertThat(messages).isGreaterThan(100);
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

  /** The main code, with literals that are put together as one. */
  private static String code() throws IOException {
    StringBuilder all = new StringBuilder();
    for (Path file : Repository.mainSources()) {
      all.append(Files.readString(file));
    }
    return CONCATENATION.matcher(all).replaceAll("").replace("\\\"", "\"").replace("%%", "%");
  }
}

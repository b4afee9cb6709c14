// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The part of a document between {@code <!-- NAME:begin -->} and {@code <!-- NAME:end -->}, which
 * follows from the code. A run with {@code -Dstoa.docs=write} writes it; any other checks it. Files
 * outside of those markers stay as they are. Stateless.
 */
public final class GeneratedSection {
  private static final String COMMAND =
      "write it with ./mvnw test -pl proxy-server -am"
          + " -Dtest='*DocsTest' -Dsurefire.failIfNoSpecifiedTests=false -Dstoa.docs=write";

  private GeneratedSection() {}

  /** Checks the section, or writes it. */
  public static void check(String document, String name, List<String> lines) throws IOException {
    if (isWriting()) {
      write(Repository.root().resolve(document), name, lines);
    }
    assertThat(Repository.section(document, name))
        .as("%s, section %s: %s", document, name, COMMAND)
        .isEqualTo(lines.stream().filter(line -> !line.isBlank()).toList());
  }

  /** Checks a whole file, or writes it. */
  public static void checkFile(String document, String text) throws IOException {
    Path file = Repository.root().resolve(document);
    if (isWriting()) {
      Files.writeString(file, text);
    }
    assertThat(file).as("%s: %s", document, COMMAND).hasContent(text);
  }

  private static boolean isWriting() {
    return "write".equals(System.getProperty("stoa.docs"));
  }

  private static void write(Path file, String name, List<String> lines) throws IOException {
    List<String> old = Files.readAllLines(file);
    int begin = old.indexOf("<!-- " + name + ":begin -->");
    int end = old.indexOf("<!-- " + name + ":end -->");
    List<String> all = new ArrayList<>(old.subList(0, begin + 1));
    all.addAll(lines);
    all.addAll(old.subList(end, old.size()));
    Files.write(file, all);
  }
}

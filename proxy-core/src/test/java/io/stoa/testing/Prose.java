// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Splits Javadoc and Markdown into sentences. Threading: stateless. */
public final class Prose {
  private static final Pattern PARAGRAPH = Pattern.compile("\\n\\s*\\n");
  private static final Pattern END = Pattern.compile("(?<=[.!?:;])\\s+");
  private static final Pattern LIST_ITEM = Pattern.compile("(?m)^\\s*(?:[-*]|\\d+\\.|#+)\\s+");

  private Prose() {}

  /** A sentence, or a part of one up to a colon or semicolon. Threading: immutable. */
  public record Sentence(String where, String text) {
    public int words() {
      return text.split("\\s+").length;
    }

    public String firstWord() {
      return text.split("[^\\p{L}']+", 2)[0];
    }

    @Override
    public String toString() {
      return where + ": " + text;
    }
  }

  /** Returns the sentences of a Javadoc comment without its asterisks. */
  public static Stream<Sentence> ofJavadoc(String where, String comment) {
    String text =
        comment
            .replaceAll("(?s)<pre>.*?</pre>", " ")
            .replaceAll("\\{@\\w+\\s+(?:[^{}\\s]*\\s+)?([^{}]*)\\}", "$1")
            .replaceAll("@(?:see|since)\\b[^\\n]*", "\n\n")
            .replaceAll("@(?:param|throws)\\s+\\S+", "\n\n")
            .replaceAll("@return\\b", "\n\n")
            .replaceAll("</?(?:p|li|ul|ol|table|tr|td|th|dl|dt|dd|h\\d)\\b[^>]*>", "\n\n")
            .replaceAll("<[^>]*>", "");
    return sentences(where, text);
  }

  /** Returns the cells of the tables of a Markdown page; code is left out. */
  public static Stream<Sentence> ofCells(String where, String page) {
    return withoutCode(page)
        .lines()
        .filter(line -> line.startsWith("|"))
        .flatMap(line -> Arrays.stream(line.split("\\|")))
        .map(String::strip)
        .filter(cell -> !cell.isEmpty())
        .map(cell -> new Sentence(where, cell));
  }

  private static String withoutCode(String page) {
    return page.replaceAll("(?s)```.*?```", "\n\n")
        .replaceAll("(?m)^(?: {4}|\\t).*$", "")
        .replaceAll("(?s)<!--.*?-->", "")
        .replaceAll("`[^`]*`", "code");
  }

  /** Returns the sentences of a Markdown page, cells of tables included; code is left out. */
  public static Stream<Sentence> ofMarkdown(String where, String page) {
    String text =
        withoutCode(page)
            .replaceAll("(?m)^#.*$", "\n\n")
            .replaceAll("(?:code, )+", "")
            .replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1")
            .replaceAll("(?m)^\\|.*$", "\n\n$0\n\n")
            .replace("|", "\n\n")
            .replace("**", "");
    return sentences(where, LIST_ITEM.matcher(text).replaceAll("\n\n"));
  }

  private static Stream<Sentence> sentences(String where, String text) {
    return PARAGRAPH
        .splitAsStream(text)
        .map(paragraph -> String.join(" ", List.of(paragraph.strip().split("\\s+"))))
        .flatMap(paragraph -> Arrays.stream(END.split(paragraph)))
        .filter(sentence -> sentence.contains(" "))
        .map(sentence -> new Sentence(where, sentence));
  }
}

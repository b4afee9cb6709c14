// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.stoa.testing.Repository;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The string literals of the main code. Literals that are put together are one text, in which …
 * stands for each other part.
 *
 * <p>Threading: immutable.
 */
final class SourceTexts {
  static final String GAP = "…";

  /** Code before a text that is logged as a warning or an error, or with a variable level. */
  private static final Pattern LOGGED =
      Pattern.compile(
          "(?:\\b(?:LOG|log)\\s*\\.\\s*(?:warn|error)\\(|\\.atLevel\\([^;]*\\)\\s*\\.log\\(|"
              + "\\blogOnce\\(\\s*\\w+,|\\bnew PressureLog\\([^;]*,)\\s*$");

  /** Code that logs a constant. */
  private static final Pattern LOGGED_NAME =
      Pattern.compile("\\b(?:LOG|log)\\s*\\.\\s*(?:warn|error)\\(\\s*(\\w+)\\s*[,)]");

  private final List<Token> tokens = new ArrayList<>();
  private final String file;

  /** A literal, or the code between two literals. */
  private record Token(boolean literal, String text) {}

  /** A text, with the simple name of its class. */
  record Text(String file, String text) {}

  private SourceTexts(String file, String source) {
    this.file = file;
    split(source);
  }

  /** Returns the texts of all main code. */
  static List<Text> all() throws IOException {
    List<Text> texts = new ArrayList<>();
    for (Path path : Repository.mainSources()) {
      of(path).addTexts(texts);
    }
    return texts;
  }

  /** Returns the texts that Stoa logs as warnings or errors. An unknown text is a gap. */
  static List<Text> warnings() throws IOException {
    List<Text> texts = new ArrayList<>();
    for (Path path : Repository.mainSources()) {
      if (!path.toString().contains("admin-cli")) {
        of(path).addWarnings(texts);
      }
    }
    return texts;
  }

  private static SourceTexts of(Path path) throws IOException {
    String name = String.valueOf(path.getFileName()).replace(".java", "");
    return new SourceTexts(name, Files.readString(path));
  }

  private void addTexts(List<Text> texts) {
    for (int i = 0; i < tokens.size(); i++) {
      if (tokens.get(i).literal() && !continues(i)) {
        texts.add(new Text(file, from(i)));
      }
    }
  }

  private void addWarnings(List<Text> texts) {
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      if (token.literal()) {
        continue;
      }
      if (i + 1 < tokens.size() && LOGGED.matcher(token.text()).find()) {
        texts.add(new Text(file, from(i + 1)));
      }
      Matcher name = LOGGED_NAME.matcher(token.text());
      while (name.find()) {
        texts.add(new Text(file, constant(name.group(1))));
      }
    }
  }

  private String constant(String name) {
    Pattern declaration = Pattern.compile("\\bString " + name + "\\s*=\\s*$");
    for (int i = 0; i + 1 < tokens.size(); i++) {
      if (!tokens.get(i).literal() && declaration.matcher(tokens.get(i).text()).find()) {
        return from(i + 1);
      }
    }
    return GAP;
  }

  /** Returns the text that begins with a literal. */
  private String from(int first) {
    StringBuilder text = new StringBuilder(tokens.get(first).text());
    for (int i = first + 1; i < tokens.size(); i += 2) {
      String code = tokens.get(i).text().strip();
      boolean last = i + 1 == tokens.size();
      if (last || !joins(code)) {
        return text.append(code.startsWith("+") ? GAP : "").toString();
      }
      text.append(code.equals("+") ? "" : GAP).append(tokens.get(i + 1).text());
    }
    return text.toString();
  }

  private boolean continues(int literal) {
    return literal >= 2 && joins(tokens.get(literal - 1).text().strip());
  }

  private static boolean joins(String code) {
    return code.startsWith("+")
        && code.endsWith("+")
        && !code.contains(";")
        && !code.contains("{")
        && !code.contains("}");
  }

  /** Splits a source into code and literals, which alternate. Comments are neither. */
  private void split(String source) {
    StringBuilder code = new StringBuilder();
    int at = 0;
    while (at < source.length()) {
      char next = source.charAt(at);
      if (source.startsWith("//", at)) {
        at = end(source, "\n", at);
      } else if (source.startsWith("/*", at)) {
        at = end(source, "*/", at + 2);
      } else if (source.startsWith("\"\"\"", at)) {
        int end = end(source, "\"\"\"", at + 3);
        add(code, source.substring(at + 3, end - 3));
        at = end;
      } else if (next == '"' || next == '\'') {
        int end = closing(source, at);
        if (next == '"') {
          add(code, unescaped(source.substring(at + 1, end)));
        }
        at = end + 1;
      } else {
        code.append(next);
        at++;
      }
    }
    tokens.add(new Token(false, code.toString()));
  }

  private void add(StringBuilder code, String literal) {
    tokens.add(new Token(false, code.toString()));
    tokens.add(new Token(true, literal));
    code.setLength(0);
  }

  private static int end(String source, String mark, int from) {
    int found = source.indexOf(mark, from);
    return found < 0 ? source.length() : found + mark.length();
  }

  private static int closing(String source, int open) {
    int at = open + 1;
    while (source.charAt(at) != source.charAt(open)) {
      at += source.charAt(at) == '\\' ? 2 : 1;
    }
    return at;
  }

  private static String unescaped(String literal) {
    return literal.replace("\\\"", "\"").replace("%%", "%").replaceAll("%[sd]", GAP);
  }
}

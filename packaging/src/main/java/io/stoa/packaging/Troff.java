// SPDX-License-Identifier: Apache-2.0
package io.stoa.packaging;

/**
 * A manual page in the macros of man(7). Each line of text is escaped. Threading: confined to one
 * thread.
 */
final class Troff {
  private final StringBuilder out = new StringBuilder();

  /** Begins a page. */
  Troff(String name, int section, String version) {
    line(".\\\" SPDX-License-Identifier: Apache-2.0");
    line(".TH " + quoted(name) + " " + section + " \"\" " + quoted("Stoa " + version));
    line(".nh").line(".ad l"); // names of keys and options are not hyphenated
  }

  /** Adds a section. */
  Troff section(String title) {
    return line(".SH " + quoted(title));
  }

  /** Adds a subsection. */
  Troff subsection(String title) {
    return line(".SS " + quoted(title));
  }

  /** Adds a paragraph. */
  Troff paragraph(String text) {
    return line(".PP").line(escaped(text));
  }

  /** Adds a line of text to the present paragraph. */
  Troff text(String text) {
    return line(escaped(text));
  }

  /** Adds a line of text in bold to the present paragraph. */
  Troff bold(String text) {
    return line(".B " + quoted(text));
  }

  /** Adds a term in bold, whose explanation follows. */
  Troff term(String term, String explanation) {
    return line(".TP").bold(term).text(explanation);
  }

  /** Adds lines that are shown as they are. */
  Troff verbatim(String text) {
    line(".PP").line(".RS 4").line(".nf");
    text.lines().forEach(this::text);
    return line(".fi").line(".RE");
  }

  /** Indents what follows. */
  Troff indent() {
    return line(".RS");
  }

  /** Ends the indentation. */
  Troff outdent() {
    return line(".RE");
  }

  private Troff line(String line) {
    out.append(line).append('\n');
    return this;
  }

  private static String quoted(String text) {
    return '"' + escaped(text).replace("\"", "\\(dq") + '"';
  }

  /** Escapes what troff would interpret; a plain hyphen is one that can be copied. */
  private static String escaped(String text) {
    String escaped =
        text.replace("\\", "\\e")
            .replace("-", "\\-")
            .replace("'", "\\(aq")
            .replace("`", "\\(ga")
            .replace("^", "\\(ha")
            .replace("~", "\\(ti")
            .replace("\u2026", "...");
    return escaped.startsWith(".") ? "\\&" + escaped : escaped;
  }

  @Override
  public String toString() {
    return out.toString();
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A command of a page of the documentation, and the lines that the page shows of its output. The
 * command prints each of these lines in that order, except for numbers and the width of columns;
 * other lines may be between them. Immutable.
 */
public record GuideStep(String command, List<String> printed) {
  private static final String BLOCK = "```console";
  private static final String PROMPT = "$ ";

  /** Reads all commands of a page. */
  public static List<GuideStep> of(String page) throws IOException {
    List<GuideStep> steps = new ArrayList<>();
    boolean inside = false;
    boolean document = false;
    for (String line : Files.readAllLines(Repository.root().resolve(page))) {
      if (!inside || line.equals("```")) {
        inside = line.equals(BLOCK);
      } else if (document) {
        GuideStep step = steps.remove(steps.size() - 1);
        steps.add(new GuideStep(step.command() + "\n" + line, step.printed()));
        document = !line.equals("EOF");
      } else if (line.startsWith(PROMPT)) {
        steps.add(new GuideStep(line.substring(PROMPT.length()), new ArrayList<>()));
        document = line.contains("<<'EOF'");
      } else {
        steps.get(steps.size() - 1).printed().add(line);
      }
    }
    return steps;
  }

  /** Fails unless the command has printed the lines of the page. */
  public void compare(List<String> lines) {
    String missing = missing(lines);
    if (missing != null) {
      throw new AssertionError(
          command + "\nprints no line\n" + missing + "\nin\n" + String.join("\n", lines));
    }
  }

  /** True if the command has printed the lines of the page. */
  public boolean matches(List<String> lines) {
    return missing(lines) == null;
  }

  private @Nullable String missing(List<String> lines) {
    int at = 0;
    for (String line : printed) {
      while (at < lines.size() && !withoutNumbers(lines.get(at)).startsWith(withoutNumbers(line))) {
        at++;
      }
      if (at == lines.size()) {
        return line;
      }
      at++;
    }
    return null;
  }

  private static String withoutNumbers(String line) {
    return line.replaceAll("\\d[\\d.,]*", "0").replaceAll("\\s+", " ").strip();
  }
}

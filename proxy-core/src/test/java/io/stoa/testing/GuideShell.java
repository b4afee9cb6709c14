// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A bash that runs the commands of a page one after the other. Names of the page stand for others
 * here. Not thread-safe.
 */
public final class GuideShell implements AutoCloseable {
  private static final String END = "-- end of what the command prints --";
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Map<String, String> here;
  private final Process process;
  private final Writer in;
  private final BufferedReader out;
  private int code;

  /**
   * Starts the shell.
   *
   * @param here what stands for the names of the page
   */
  public GuideShell(Map<String, String> here, String... bash) throws IOException {
    this.here = here;
    process = Leftovers.start(new ProcessBuilder(bash).redirectErrorStream(true));
    in = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
    out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** Runs a command, and returns the lines of both outputs. */
  public List<String> run(String command) throws IOException {
    in.write(translated(command) + "\necho '" + END + "' $?\n");
    in.flush();
    List<String> lines = new ArrayList<>();
    String line = out.readLine();
    while (line == null || !line.startsWith(END)) {
      assertThat(line).as(command + " ends the shell after " + lines).isNotNull();
      lines.add(original(line));
      line = out.readLine();
    }
    code = Integer.parseInt(line.substring(END.length()).strip());
    return lines;
  }

  /** Returns the exit code of the last command. */
  public int code() {
    return code;
  }

  private String translated(String text) {
    String names = longestFirst().stream().map(Pattern::quote).collect(Collectors.joining("|"));
    return Pattern.compile(names)
        .matcher(text)
        .replaceAll(name -> Matcher.quoteReplacement(here.get(name.group())));
  }

  private String original(String text) {
    String original = text;
    for (String name : longestFirst()) {
      original = original.replace(here.get(name), name);
    }
    return original;
  }

  private List<String> longestFirst() {
    return here.keySet().stream().sorted((one, other) -> other.length() - one.length()).toList();
  }

  /** Ends the shell and its children. */
  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    try {
      assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import io.stoa.testing.Await;
import io.stoa.testing.Leftovers;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The command {@code stoa} with any arguments, in a process of its own, and what it has written so
 * far. Thread-safe.
 */
final class CommandProcess implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 30;

  private final Process process;
  private final List<String> lines = new CopyOnWriteArrayList<>();

  private CommandProcess(Process process) {
    this.process = process;
    Thread reader = new Thread(this::read, "stoa-process-output");
    reader.setDaemon(true);
    reader.start();
  }

  static CommandProcess start(String... arguments) {
    return start(new ProcessBuilder(command(arguments)));
  }

  /** The same by a command line that ends in that of {@link #command}. */
  static CommandProcess start(ProcessBuilder command) {
    try {
      return new CommandProcess(Leftovers.start(command.redirectErrorStream(true)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The command line of Stoa with the arguments. It takes SIGINT even if this process was started
   * in the background by a shell, which makes it deaf to that signal, and its children with it.
   */
  static List<String> command(String... arguments) {
    List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1")); // it does not run for long
    command.addAll(List.of("-cp", classes(), StoaCommand.class.getName()));
    command.addAll(List.of(arguments));
    return command;
  }

  /** Without the classes of tests, whose settings of the log are others. */
  private static String classes() {
    String all = System.getProperty("java.class.path");
    return Stream.of(all.split(File.pathSeparator))
        .filter(element -> !element.contains("test-classes") && !element.endsWith("out-d/test"))
        .filter(element -> !element.endsWith("src/test/resources"))
        .collect(Collectors.joining(File.pathSeparator));
  }

  private void read() {
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      reader.lines().forEach(lines::add);
    } catch (IOException | UncheckedIOException closed) {
      lines.add("(output closed)");
    }
  }

  /** Waits for a line that contains a match, and returns the match. */
  Matcher await(String regex) {
    return await(regex, 1);
  }

  /** Waits until so many lines contain a match, and returns the match of the last. */
  Matcher await(String regex, int times) {
    Pattern pattern = Pattern.compile(regex);
    Await.until(
        times + " times " + regex + ", pid " + process.pid(),
        () -> matches(pattern).size() >= times || !process.isAlive());
    List<Matcher> found = matches(pattern);
    if (found.size() < times) {
      throw new AssertionError("no " + regex + " in\n" + output());
    }
    return found.get(times - 1);
  }

  private List<Matcher> matches(Pattern pattern) {
    return lines.stream().map(pattern::matcher).filter(Matcher::find).toList();
  }

  /** All that was written until now. */
  String output() {
    return String.join("\n", lines);
  }

  List<String> lines() {
    return List.copyOf(lines);
  }

  ProcessHandle handle() {
    return process.toHandle();
  }

  /** Sends a signal, such as INT or TERM. */
  void signal(String name) {
    CommandRun.of("kill", "-" + name, Long.toString(process.pid()));
  }

  /** Waits for the end and returns the exit code. */
  int awaitExit() {
    try {
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("does not end:\n" + output());
      }
      return process.exitValue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
    awaitExit();
  }
}

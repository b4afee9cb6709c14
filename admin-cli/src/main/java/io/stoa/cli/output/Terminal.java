// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.output;

import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The terminal of the process, even if its standard streams are redirected. Settings changed by
 * {@code stty} are restored at close, and when the process is interrupted.
 *
 * <p>Threading: confined to one command.
 */
public final class Terminal implements AutoCloseable {
  private static final File DEVICE = new File("/dev/tty");
  private static final int MAX_LINE = 1026;
  private static final int STTY_SECONDS = 5;

  private final InputStream in;
  private final OutputStream out;
  private final String closingText;
  private final String savedModes;
  private final Thread restore = new Thread(this::restore, "stoactl-terminal");

  /**
   * Opens the terminal.
   *
   * @param closingText text written before the terminal is restored
   * @param modes arguments of {@code stty}
   * @throws IOException if there is no terminal
   */
  Terminal(String closingText, String... modes) throws IOException {
    this.closingText = closingText;
    in = new FileInputStream(DEVICE);
    out = new FileOutputStream(DEVICE);
    savedModes = stty("-g");
    Runtime.getRuntime().addShutdownHook(restore);
    if (modes.length > 0) {
      stty(modes);
    }
  }

  /** Asks for a secret, without echo. */
  public static byte[] askSecret(String prompt) throws IOException {
    try (Terminal terminal = new Terminal("", "-echo", "susp", "undef")) {
      terminal.write(prompt);
      byte[] line = terminal.line();
      terminal.write("\n");
      return line;
    }
  }

  /** Asks a yes-or-no question. Only an answer that begins with y is yes. */
  public static boolean confirm(String prompt) throws IOException {
    try (Terminal terminal = new Terminal("")) {
      terminal.write(prompt);
      byte[] line = terminal.line();
      return line.length > 0 && (line[0] == 'y' || line[0] == 'Y');
    }
  }

  private byte[] line() throws IOException {
    return FirstLine.of(in, MAX_LINE);
  }

  /** Returns the next key, in a mode without line buffering; -1 at the end. */
  int key() throws IOException {
    return in.read();
  }

  /** Writes text. */
  void write(String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  /** Returns the lines and columns; 24 and 80 if unknown. */
  int[] size() {
    try {
      int[] size = Arrays.stream(stty("size").split(" ")).mapToInt(Integer::parseInt).toArray();
      return size.length == 2 && size[0] > 0 && size[1] > 0 ? size : new int[] {24, 80};
    } catch (IOException | NumberFormatException e) {
      return new int[] {24, 80};
    }
  }

  private static String stty(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("stty"));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command)
            .redirectInput(DEVICE)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      if (!process.waitFor(STTY_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
        process.destroyForcibly();
        throw new IOException("stty failed");
      }
      byte[] output = process.getInputStream().readAllBytes(); // one line, which fits in the pipe
      return new String(output, StandardCharsets.UTF_8).strip();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private void restore() {
    try {
      write(closingText);
      stty(savedModes);
    } catch (IOException ignored) {
      return; // the terminal has gone
    }
  }

  @Override
  public void close() throws IOException {
    restore();
    Runtime.getRuntime().removeShutdownHook(restore);
    in.close();
    out.close();
  }
}

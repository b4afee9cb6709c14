// SPDX-License-Identifier: Apache-2.0
package io.stoa.cli.output;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntConsumer;

/**
 * A screen that is redrawn until q is pressed. The previous content of the terminal is restored at
 * close, and when the process is interrupted.
 *
 * <p>Threading: thread-safe; one thread of its own reads keys.
 */
public final class Screen implements AutoCloseable {
  private static final String BEGIN = "\033[?1049h\033[?25l";
  private static final String END = "\033[?25h\033[?1049l";

  private final Terminal terminal;
  private final CountDownLatch end = new CountDownLatch(1);
  private final Runnable atEnd;
  private final IntConsumer onKey;

  /**
   * Takes over the terminal.
   *
   * @param atEnd called when q was pressed, on the thread that reads keys
   * @param onKey called for each other key, on the same thread
   * @throws IOException if there is no terminal
   */
  public Screen(Runnable atEnd, IntConsumer onKey) throws IOException {
    this.atEnd = atEnd;
    this.onKey = onKey;
    terminal = new Terminal(END, "-icanon", "-echo", "susp", "undef", "min", "1", "time", "0");
    terminal.write(BEGIN);
    Thread keys = new Thread(this::readKeys, "stoactl-keys");
    keys.setDaemon(true);
    keys.start();
  }

  private void readKeys() {
    try {
      int key = terminal.key();
      while (key >= 0 && key != 'q' && key != 'Q') {
        onKey.accept(key);
        key = terminal.key();
      }
    } catch (IOException ignored) {
      Thread.currentThread().interrupt();
    } finally {
      end.countDown();
      atEnd.run();
    }
  }

  /** Returns the latch that opens when q was pressed or the terminal has gone. */
  public CountDownLatch end() {
    return end;
  }

  /** Draws lines, cut to the size of the terminal. The last line is always shown. */
  public synchronized void draw(List<String> lines) throws IOException {
    int[] size = terminal.size();
    StringBuilder out = new StringBuilder("\033[H");
    fitted(lines, size[0]).forEach(line -> out.append(cut(line, size[1])).append("\033[K\r\n"));
    out.setLength(out.length() - 2);
    terminal.write(out.append("\033[J").toString());
  }

  private static List<String> fitted(List<String> lines, int rows) {
    if (lines.size() <= rows) {
      return lines;
    }
    List<String> fitted = new ArrayList<>(lines.subList(0, rows - 1));
    fitted.add(lines.get(lines.size() - 1));
    return fitted;
  }

  private static String cut(String line, int columns) {
    return line.length() <= columns ? line : line.substring(0, columns);
  }

  @Override
  public void close() throws IOException {
    terminal.close();
  }
}

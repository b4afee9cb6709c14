// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.io.IOException;
import java.io.UncheckedIOException;

/** What can be sent to processes of this machine. Stateless. */
final class Signals {
  private Signals() {}

  /** It stands still: it accepts connections, and answers nothing. */
  static void freeze(long process) {
    send("STOP", process);
  }

  /** It goes on. */
  static void thaw(long process) {
    send("CONT", process);
  }

  private static void send(String name, long process) {
    try {
      Process kill = new ProcessBuilder("kill", "-" + name, String.valueOf(process)).start();
      if (kill.waitFor() != 0) {
        throw new AssertionError(process + " cannot be sent " + name);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.io.IOException;
import java.io.UncheckedIOException;

/** Sends POSIX signals to local processes. Threading: stateless. */
final class Signals {
  private Signals() {}

  /** Stops a process: its connections stay open, and get no answer. */
  static void freeze(long process) {
    send("STOP", process);
  }

  /** Continues a stopped process. */
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

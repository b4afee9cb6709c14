// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.load;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** A dump of all objects on the heap of a process, unreachable ones included. Immutable. */
final class HeapDump {
  private static final int BLOCK = 1 << 20;

  private final Path file;

  private HeapDump(Path file) {
    this.file = file;
  }

  static HeapDump of(long pid, Path file) {
    Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
    try {
      Process process =
          new ProcessBuilder(
                  jcmd.toString(), Long.toString(pid), "GC.heap_dump", "-all", file.toString())
              .redirectErrorStream(true)
              .start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (process.waitFor() != 0 || !Files.exists(file)) {
        throw new AssertionError("no heap dump: " + output);
      }
      return new HeapDump(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  /** Whether the text is anywhere in it, in one octet per character or in two. */
  boolean contains(String text) {
    return contains(text.getBytes(StandardCharsets.US_ASCII))
        || contains(text.getBytes(StandardCharsets.UTF_16LE))
        || contains(text.getBytes(StandardCharsets.UTF_16BE));
  }

  private boolean contains(byte[] pattern) {
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file), BLOCK)) {
      byte[] window = new byte[0];
      for (byte[] next = in.readNBytes(BLOCK); next.length > 0; next = in.readNBytes(BLOCK)) {
        byte[] joined = Arrays.copyOf(window, window.length + next.length);
        System.arraycopy(next, 0, joined, window.length, next.length);
        if (indexOf(joined, pattern) >= 0) {
          return true;
        }
        int kept = Math.min(joined.length, pattern.length - 1);
        window = Arrays.copyOfRange(joined, joined.length - kept, joined.length);
      }
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int indexOf(byte[] octets, byte[] pattern) {
    for (int i = 0; i <= octets.length - pattern.length; i++) {
      if (octets[i] == pattern[0]
          && Arrays.equals(octets, i, i + pattern.length, pattern, 0, pattern.length)) {
        return i;
      }
    }
    return -1;
  }
}

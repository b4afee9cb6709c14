// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Properties;

/**
 * How far the long form of a test has got: kept in {@code target/NAME.progress} after each part, so
 * that who is stopped goes on where he was, with the same seed. The short form keeps nothing.
 * Thread-safe.
 */
public final class Progress {
  private static final String SEED = "seed";
  private static final String RUNS = "runs";

  private final Path file;
  private final boolean kept;
  private final Properties all = new Properties();

  private Progress(Path file, boolean kept) {
    this.file = file;
    this.kept = kept;
    if (kept && Files.exists(file)) {
      read();
    }
    add(RUNS, 1);
    if (all.getProperty(SEED) == null) {
      all.setProperty(SEED, String.valueOf(Soak.seed()));
    } else {
      Soak.record("goes on with seed " + seed() + ": " + this);
    }
  }

  /** Of the test of that name, begun before or now. */
  public static Progress of(String name) {
    return of(Path.of("target", name + ".progress"), Soak.isLong());
  }

  static Progress of(Path file, boolean kept) {
    return new Progress(file, kept);
  }

  private void read() {
    try (InputStream in = Files.newInputStream(file)) {
      all.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot go on from " + file, e);
    }
  }

  /** That of the first run. */
  public synchronized long seed() {
    return Long.parseLong(all.getProperty(SEED));
  }

  /** How many of something there were, in all runs; 0 at first. */
  public synchronized long count(String what) {
    return Long.parseLong(all.getProperty(what, "0"));
  }

  /** There were so many more. */
  public synchronized void add(String what, long more) {
    all.setProperty(what, String.valueOf(count(what) + more));
  }

  /** Keeps what there is by now. */
  public synchronized void keep() {
    if (kept) {
      Path next = file.resolveSibling(file.getFileName() + ".next");
      try (OutputStream out = Files.newOutputStream(next)) {
        all.store(out, null);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot keep " + file, e);
      }
      move(next);
    }
  }

  private void move(Path next) {
    try {
      Files.move(next, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot keep " + file, e);
    }
  }

  /** All is done: the next run begins anew. */
  public synchronized void end() {
    if (kept) {
      try {
        Files.deleteIfExists(file);
      } catch (IOException e) {
        throw new UncheckedIOException("cannot remove " + file, e);
      }
    }
  }

  @Override
  public synchronized String toString() {
    return all.toString();
  }
}

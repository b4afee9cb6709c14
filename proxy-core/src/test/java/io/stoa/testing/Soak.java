// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;

/**
 * The two forms of one test: a short one for every build, and a long one for {@code ./dev soak
 * NAME}, which finds the tests by their {@code @Tag("soak")}. Properties: {@code stoa.soak} (long
 * form), {@code stoa.seed} (repeats a run), {@code stoa.evidence} (file that keeps the result
 * lines). Thread-safe.
 */
public final class Soak {
  private static final long SEED = chooseSeed();

  private Soak() {}

  public static boolean isLong() {
    return Boolean.getBoolean("stoa.soak");
  }

  public static long scale(long shortValue, long longValue) {
    return isLong() ? longValue : shortValue;
  }

  public static int scale(int shortValue, int longValue) {
    return isLong() ? longValue : shortValue;
  }

  /** The seed of this run: the same at every call, and on the record. */
  public static long seed() {
    return SEED;
  }

  /** Prints the line, and keeps it in the evidence file where the run has one. */
  public static synchronized void record(String line) {
    System.out.println(line);
    String file = System.getProperty("stoa.evidence", "");
    if (isLong() && !file.isEmpty()) {
      append(Path.of(file), line + System.lineSeparator());
    }
  }

  private static void append(Path file, String text) {
    try {
      Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot keep the result line in " + file, e);
    }
  }

  private static long chooseSeed() {
    String given = System.getProperty("stoa.seed", "");
    long seed = given.isEmpty() ? new SecureRandom().nextInt() : Long.parseLong(given);
    record("seed " + seed + " (repeat with -Dstoa.seed=" + seed + ")");
    return seed;
  }
}

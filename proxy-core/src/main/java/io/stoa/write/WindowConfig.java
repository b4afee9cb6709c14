// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Which writes wait for each other, and for how long. Immutable.
 *
 * @param name by which an administrator knows it
 * @param subtree those of entries there; null if it does not matter where
 * @param identity those of who has bound by this name; null if it does not matter who writes
 * @param every how long after the first one the window closes
 * @param maxOperations it closes when so many wait
 * @param batch how they go upstream
 * @param passwords whether changes of passwords wait, too
 */
public record WindowConfig(
    String name,
    @Nullable String subtree,
    @Nullable String identity,
    Duration every,
    int maxOperations,
    Batch batch,
    boolean passwords) {
  public static final int DEFAULT_OPERATIONS = 64;

  private static final Duration SHORTEST = Duration.ofMillis(20);
  private static final Duration LONGEST = Duration.ofSeconds(10);
  private static final int MOST_OPERATIONS = 10_000;

  /** How the writes of a window go upstream. */
  public enum Batch {
    /** Each by itself, all at once. */
    SINGLE,
    /** Those of one client identity in one transaction (RFC 5805). */
    TRANSACTIONS
  }

  /** The same that closes so long after its first write, or when so many wait. */
  public WindowConfig closing(Duration after, int operations) {
    return new WindowConfig(name, subtree, identity, after, operations, batch, passwords);
  }

  public WindowConfig {
    if (every.compareTo(SHORTEST) < 0) {
      throw new IllegalArgumentException("every " + every.toMillis() + " ms is below 20 ms");
    }
    if (every.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(
          "every " + every.toMillis() + " ms is above 10 s: clients would not wait that long");
    }
    if (maxOperations < 1 || maxOperations > MOST_OPERATIONS) {
      throw new IllegalArgumentException(
          "maxOperations " + maxOperations + " is not from 1 to " + MOST_OPERATIONS);
    }
  }
}

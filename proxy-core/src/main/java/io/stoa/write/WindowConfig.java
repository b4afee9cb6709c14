// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import static io.stoa.net.transport.InvalidConfigException.refuse;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of a write window: the writes that wait in it, and for how long.
 *
 * <p>Threading: immutable.
 *
 * @param name name of the window
 * @param subtree DN of the subtree whose entries it covers; null for all entries
 * @param identity bind name of the clients that it covers; null for all clients
 * @param every time from the first write until the window closes
 * @param maxOperations number of waiting writes at which it closes
 * @param batch how the writes are sent
 * @param passwords true if password changes wait, too
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

  private static final Duration MIN_DURATION = Duration.ofMillis(20);
  private static final Duration MAX_DURATION = Duration.ofSeconds(10);
  private static final int MAX_OPERATIONS = 10_000;

  /** How the writes of a window are sent to the server. */
  public enum Batch {
    /** Each write by itself, all at once. */
    SINGLE,
    /** The writes of each client identity in one transaction (RFC 5805). */
    TRANSACTIONS
  }

  /** Returns a copy with other limits for closing. */
  public WindowConfig closing(Duration after, int operations) {
    return new WindowConfig(name, subtree, identity, after, operations, batch, passwords);
  }

  public WindowConfig {
    String time = " " + every.toMillis() + " ms";
    refuse(every.compareTo(MIN_DURATION) < 0, "every", time + " is below 20 ms");
    refuse(every.compareTo(MAX_DURATION) > 0, "every", time + " is above 10 s");
    refuse(
        maxOperations < 1 || maxOperations > MAX_OPERATIONS,
        "maxOperations",
        " " + maxOperations + " is out of range 1 to " + MAX_OPERATIONS);
  }
}

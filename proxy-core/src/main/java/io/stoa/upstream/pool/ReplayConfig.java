// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

/**
 * Retry policy: which operations are retried, on which server, and how clients learn of failures.
 *
 * <p>Threading: immutable.
 *
 * @param bindAffinity true if simple binds of one name go to one server while it is up
 * @param unknownOutcome response to the client of a write whose outcome is unknown
 * @param hedge true if a slow read is also sent to a second server
 */
public record ReplayConfig(boolean bindAffinity, UnknownOutcome unknownOutcome, boolean hedge) {
  /** Defaults: bind affinity, result {@code other} for unknown outcomes, no hedging. */
  public static final ReplayConfig DEFAULTS = new ReplayConfig(true, UnknownOutcome.OTHER, false);

  /** True if clients are disconnected when the outcome of a write is unknown. */
  public boolean disconnects() {
    return unknownOutcome == UnknownOutcome.DISCONNECT;
  }

  /** Response to the client of a write whose outcome is unknown. */
  public enum UnknownOutcome {
    /** Result {@code other} (80) with a message that begins with "outcome unknown". */
    OTHER,
    /** No result: the client is disconnected, as it would be by the directory server itself. */
    DISCONNECT
  }
}

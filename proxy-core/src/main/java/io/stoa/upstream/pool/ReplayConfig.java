// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

/**
 * What is sent again, and to which server, and what clients hear of what is not. Immutable.
 *
 * @param bindAffinity whether simple binds of one name go to one server while it is up
 * @param unknownOutcome what the client of a write hears of which nobody knows whether it happened
 * @param hedge whether a read that waits for long is asked of a second server, too
 */
public record ReplayConfig(boolean bindAffinity, UnknownOutcome unknownOutcome, boolean hedge) {
  /** Binds of one name go to one server; clients are told that nobody knows. */
  public static final ReplayConfig DEFAULTS = new ReplayConfig(true, UnknownOutcome.OTHER, false);

  /** Whether clients are disconnected if nobody knows the outcome of their writes. */
  public boolean disconnects() {
    return unknownOutcome == UnknownOutcome.DISCONNECT;
  }

  /** What the client of a write hears of which nobody knows whether it happened. */
  public enum UnknownOutcome {
    /** The result other (80), with a text that begins with "outcome unknown". */
    OTHER,
    /** Nothing: its connection ends, as it would if it was one to the directory. */
    DISCONNECT
  }
}

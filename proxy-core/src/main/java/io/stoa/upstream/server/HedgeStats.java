// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the hedged reads of one server.
 *
 * <p>Threading: thread-safe.
 */
public final class HedgeStats {
  private final LongAdder sent = new LongAdder();
  private final LongAdder won = new LongAdder();

  /** Called when a hedge is sent to a second server. */
  public void onSent() {
    sent.increment();
  }

  /** Called when the second server answered first. */
  public void onWon() {
    won.increment();
  }

  Status status() {
    return new Status(sent.sum(), won.sum());
  }

  /**
   * Counts since the start.
   *
   * <p>Threading: immutable.
   *
   * @param sent reads that were hedged
   * @param won reads that the second server answered first
   */
  public record Status(long sent, long won) {}
}

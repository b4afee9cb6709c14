// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import java.util.concurrent.atomic.LongAdder;

/** Reads of a server that a second one was asked for, too, since they took long. Thread-safe. */
public final class HedgeStats {
  private final LongAdder sent = new LongAdder();
  private final LongAdder won = new LongAdder();

  /** A second server is asked. */
  public void sent() {
    sent.increment();
  }

  /** The second server was first. */
  public void won() {
    won.increment();
  }

  Status status() {
    return new Status(sent.sum(), won.sum());
  }

  /**
   * How many there were since the start. Immutable.
   *
   * @param sent asked of a second server, too
   * @param won answered by that first
   */
  public record Status(long sent, long won) {}
}

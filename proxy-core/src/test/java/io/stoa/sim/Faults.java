// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.sim.Draws.Stream;
import java.util.SplittableRandom;

/**
 * How long things take in one history, and what goes wrong with them. Immutable.
 *
 * @param fault what goes wrong
 * @param from when it begins
 * @param until when it is over
 */
record Faults(Draws draws, Fault fault, long from, long until) {
  static final long MILLIS = 1_000_000;

  /** No change is longer on its way to the replica than this. */
  static final long LONGEST_LAG = 4_000 * MILLIS;

  private static final long LONGEST_REPLICATION = 80 * MILLIS;
  private static final long LONGEST_WAY = 2 * MILLIS;
  private static final long LONGEST_SLOW_WAY = 900 * MILLIS;
  private static final int SLOW_PERCENT = 10;

  /** When it begins, and how long it lasts, is drawn too. */
  static Faults of(Draws draws, Fault fault, long length) {
    SplittableRandom random = draws.of(Stream.FAULT, 0);
    long from = VirtualTime.START + random.nextLong(length);
    return new Faults(draws, fault, from, from + random.nextLong(200 * MILLIS, LONGEST_LAG));
  }

  private boolean now(Fault which, long when) {
    return fault == which && when >= from && when < until;
  }

  /** When a change that is made now reaches the replica. */
  long arrival(int state, long now) {
    SplittableRandom random = draws.of(Stream.REPLICATION, state);
    if (now(Fault.REPLICA_LAG, now)) {
      return now + random.nextLong(LONGEST_LAG);
    }
    long arrival = now + random.nextLong(LONGEST_REPLICATION);
    return now(Fault.REPLICA_CUT, arrival) ? until : arrival;
  }

  /** How long an operation is on its way to the server, or back: mostly not long. */
  static long way(SplittableRandom random) {
    boolean slow = random.nextInt(100) < SLOW_PERCENT;
    return random.nextLong(slow ? LONGEST_SLOW_WAY : LONGEST_WAY) + 1;
  }

  /** Whether the answer to a write is lost: there are few writes, so that lasts. */
  boolean losesAnswer(SplittableRandom random) {
    return random.nextBoolean() && fault == Fault.WRITE_ANSWER_LOST;
  }

  /** Whether a server that is asked now does not tell how far it has got. */
  boolean losesProbe(SplittableRandom random, long now) {
    return random.nextInt(4) > 0 && now(Fault.PROBE_LOST, now);
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import java.util.SplittableRandom;

/**
 * Chance without memory: what is drawn for one purpose does not depend on what was drawn before, so
 * that a history from which something is taken out goes on as it did. Immutable.
 */
record StatelessRandom(long seed) {
  /** What is drawn for. */
  enum Stream {
    SETUP,
    FAULT,
    ACT,
    LOOP,
    READ,
    WRITE,
    REPLICATION,
    PROBE,
    FEED,
    TIE,
    DICE
  }

  /** A source for one purpose. */
  SplittableRandom of(Stream stream, long number) {
    return new SplittableRandom(mix(mix(seed, stream.name().hashCode()), number));
  }

  /** One number. */
  long one(Stream stream, long number) {
    return mix(mix(mix(seed, stream.name().hashCode()), number), 1);
  }

  private static long mix(long one, long other) {
    long mixed = one * 0x9E3779B97F4A7C15L + other;
    mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94D049BB133111EBL;
    return mixed ^ (mixed >>> 31);
  }
}

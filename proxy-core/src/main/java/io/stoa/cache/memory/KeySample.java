// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.memory;

/**
 * Samples keys by their hash, so that a key is in the sample with all its lookups or with none
 * (SHARDS: Waldspurger, Park, Garthwaite and Ahmad, FAST 2015).
 *
 * <p>Threading: stateless.
 */
public final class KeySample {
  /** Multipliers and shifts of the 32-bit finalizer of MurmurHash3 (Appleby). */
  private static final int FIRST = 0x85EBCA6B;

  private static final int SECOND = 0xC2B2AE35;
  private static final int FIRST_SHIFT = 16;
  private static final int SECOND_SHIFT = 13;

  private KeySample() {}

  /**
   * Returns the place of a key from 0 to {@link Integer#MAX_VALUE}, evenly distributed. A sample of
   * a share of all keys has those with a lower place than that share of the maximum.
   *
   * @param hash hash of the key, of any quality
   */
  public static int place(int hash) {
    int mixed = (hash ^ (hash >>> FIRST_SHIFT)) * FIRST;
    mixed = (mixed ^ (mixed >>> SECOND_SHIFT)) * SECOND;
    return (mixed ^ (mixed >>> FIRST_SHIFT)) & Integer.MAX_VALUE;
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache;

import java.util.Arrays;

/**
 * The result of a search, or of a compare: which entries match, in the directory's order, and the
 * final response. Immutable.
 *
 * @param ids the entries
 * @param done the final response
 * @param epoch the epoch in which the search was sent
 * @param firstNanos when the first of the searches was sent that have returned just this
 * @param lastNanos when the last of them was sent
 * @param limits for which size limits the directory is known to give the whole result
 */
record Item(
    EntryKey[] ids,
    byte[] done,
    long epoch,
    long firstNanos,
    long lastNanos,
    SizeLimits limits) {
  private static final EntryKey[] NO_IDS = {};
  private static final int OVERHEAD = 200;
  private static final int REFERENCE = 8;

  /** A compare's result. */
  static Item compared(byte[] done, long epoch, long sentNanos) {
    return new Item(NO_IDS, done, epoch, sentNanos, sentNanos, SizeLimits.of(0));
  }

  /**
   * This result, read again after the other. If both say the same, it holds since the first: then
   * an entry that was read at that time, with other attributes, may still be served with it.
   */
  Item after(Item earlier, long oldestNanos) {
    if (earlier.epoch > epoch || (earlier.epoch == epoch && earlier.lastNanos - lastNanos > 0)) {
      return earlier;
    }
    boolean same =
        epoch == earlier.epoch
            && earlier.lastNanos - oldestNanos >= 0
            && Arrays.equals(done, earlier.done)
            && Arrays.equals(ids, earlier.ids);
    return same
        ? new Item(
            ids, done, epoch, earlier.firstNanos, lastNanos, limits.and(earlier.limits))
        : this;
  }

  /** Whether the result may be served, as far as it is known without its entries. */
  boolean alive(long currentEpoch, long oldestNanos) {
    return epoch == currentEpoch && lastNanos - oldestNanos >= 0;
  }

  /** Memory that the item takes, estimated in octets. */
  int size() {
    return OVERHEAD + done.length + ids.length * REFERENCE;
  }
}

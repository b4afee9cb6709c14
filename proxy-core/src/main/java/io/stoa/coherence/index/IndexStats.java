// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.index;

/**
 * How much is filed, and how much work changes made. Immutable.
 *
 * @param views that are registered
 * @param keys of values and types under which they are filed
 * @param uuids of entries that they hold
 * @param places of entries that they hold, and of their bases
 * @param names attribute types that their filters name
 * @param changes for which views were looked for
 * @param probes keys and places that were looked at for these
 * @param candidates views whose filter was evaluated for these
 */
public record IndexStats(
    long views,
    long keys,
    long uuids,
    long places,
    long names,
    long changes,
    long probes,
    long candidates) {
  /** Of an index that is not there. */
  public static final IndexStats NONE = new IndexStats(0, 0, 0, 0, 0, 0, 0, 0);

  /** Whether nothing is filed anywhere. */
  public boolean isEmpty() {
    return views + keys + uuids + places + names == 0;
  }
}

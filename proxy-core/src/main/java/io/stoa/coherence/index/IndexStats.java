// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.index;

/**
 * Size of an index, and the work that changes have caused.
 *
 * <p>Threading: immutable.
 *
 * @param views number of registered views
 * @param keys number of keys of values and types
 * @param uuids number of entries that views hold
 * @param places number of places of these entries, and of bases of views
 * @param probes number of keys and places examined for these
 * @param candidates number of filters evaluated for these
 */
public record IndexStats(
    long views, long keys, long uuids, long places, long probes, long candidates) {
  /** Statistics of an index that does not exist. */
  public static final IndexStats NONE = new IndexStats(0, 0, 0, 0, 0, 0);

  /** True if nothing is registered. */
  public boolean isEmpty() {
    return views + keys + uuids + places == 0;
  }
}

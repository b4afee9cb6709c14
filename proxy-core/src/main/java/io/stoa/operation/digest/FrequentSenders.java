// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.digest;

import io.stoa.ldap.protocol.Octets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * The senders with most searches: the algorithm Space-Saving (Metwally, Agrawal and El Abbadi,
 * 2005). A new sender replaces the one with the fewest searches, and takes over its count.
 *
 * <p>Octets: 50 for each of 8 senders, and their names of at most 256 octets.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>A count is at least the true one, and at most {@code excess} more.
 *   <li>A sender with more than an eighth of all searches is in the list.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
final class FrequentSenders {
  private static final int MAX_SENDERS = 8;
  private static final int MAX_NAME = 256;

  private final Octets[] names = new Octets[MAX_SENDERS];
  private final long[] counts = new long[MAX_SENDERS];
  private final long[] excess = new long[MAX_SENDERS];
  private int size;

  /** Adds searches of a sender. */
  synchronized void add(Octets name, long searches) {
    int index = 0;
    while (index < size && !isNamed(index, name)) {
      index++;
    }
    if (index == MAX_SENDERS) {
      index = fewest();
      names[index] = bounded(name);
      excess[index] = counts[index];
    } else if (index == size) {
      names[size++] = bounded(name);
    }
    counts[index] += searches;
  }

  private boolean isNamed(int index, Octets name) {
    Octets known = names[index];
    return known.length() < MAX_NAME ? known.equals(name) : known.equals(bounded(name));
  }

  private static Octets bounded(Octets name) {
    return name.length() <= MAX_NAME ? name : Octets.of(Arrays.copyOf(name.array(), MAX_NAME));
  }

  private int fewest() {
    int index = 0;
    for (int other = 1; other < size; other++) {
      index = counts[other] < counts[index] ? other : index;
    }
    return index;
  }

  /** Returns the senders, that with most searches first. */
  synchronized List<DigestStatus.Sender> list() {
    DigestStatus.Sender[] all = new DigestStatus.Sender[size];
    for (int index = 0; index < size; index++) {
      all[index] = new DigestStatus.Sender(names[index], counts[index], excess[index]);
    }
    Arrays.sort(all, Comparator.comparingLong(DigestStatus.Sender::count).reversed());
    return List.of(all);
  }
}

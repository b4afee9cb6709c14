// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.digest;

import io.stoa.ldap.protocol.Octets;
import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The hits of one read of a client, until their duration is known. A burst of equal searches then
 * costs little more than one.
 *
 * <p>Octets: 200. There is one batch for each event loop.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>All hits of a batch are of one client: it is completed at the end of the read.
 *   <li>A digest has one place. A batch of more than {@link #PLACES} digests is completed early.
 * </ol>
 *
 * <p>Threading: event-loop confined.
 */
public final class DigestBatch {
  private static final int PLACES = 8;

  private final @Nullable SearchDigest[] digests = new SearchDigest[PLACES];
  private final int[] hits = new int[PLACES];
  private int size;

  /** Time of receipt of all searches in ns. */
  private long received;

  /** Place of the last hit, and what it does not count yet. */
  private int current;

  private int newHits;
  private long newEntries;
  private long newOctets;
  private int newEmpty;
  private int newFailed;

  /** Creates an empty batch. */
  public DigestBatch() {}

  /**
   * Adds a hit that is about to be answered.
   *
   * @param entries entries of the answer
   * @param failed true if its result is not success
   * @param receivedNanos time of its receipt
   */
  @SuppressWarnings("ReferenceEquality") // a digest is an identity
  public void add(SearchDigest digest, int entries, boolean failed, long receivedNanos) {
    received = receivedNanos;
    if (size == 0 || digests[current] != digest) {
      select(digest);
    }
    newHits++;
    newEntries += entries;
    newEmpty += entries == 0 ? 1 : 0;
    newFailed += failed ? 1 : 0;
  }

  /** Adds the octets of the answer to the last hit. The answer may have completed the batch. */
  @SuppressWarnings("ReferenceEquality") // a digest is an identity
  public void addOctets(SearchDigest digest, long octets) {
    if (size > 0 && digests[current] == digest) {
      newOctets += octets;
    } else {
      digest.addOctets(octets);
    }
  }

  @SuppressWarnings("ReferenceEquality") // a digest is an identity
  private void select(SearchDigest digest) {
    count();
    int place = 0;
    while (place < size && digests[place] != digest) {
      place++;
    }
    if (place == PLACES) {
      complete();
      place = 0;
    }
    if (place == size) {
      digests[place] = digest;
      hits[place] = 0;
      size++;
    }
    current = place;
  }

  /** Completes a batch without room, or of a client that has left. Its senders are not counted. */
  public void complete() {
    if (size == 0) {
      return;
    }
    count();
    long now = System.nanoTime();
    for (int place = 0; place < size; place++) {
      addTimes(place, now - received, now);
    }
    clear();
  }

  private void clear() {
    Arrays.fill(digests, 0, size, null);
    size = 0;
  }

  private void addTimes(int place, long nanos, long now) {
    SearchDigest digest = digests[place];
    if (digest != null) {
      digest.addHitTimes(nanos, hits[place], now);
    }
  }

  private void count() {
    SearchDigest digest = size == 0 ? null : digests[current];
    if (digest != null && newHits > 0) {
      digest.addHits(newHits, newEntries, newOctets, newEmpty, newFailed);
      hits[current] += newHits;
      newHits = 0;
      newEntries = 0;
      newOctets = 0;
      newEmpty = 0;
      newFailed = 0;
    }
  }

  /**
   * Completes the batch.
   *
   * @param nanos duration of its searches in ns
   * @param now the present time, as of {@link System#nanoTime}
   * @param identity name of the client's identity
   * @param network network of the client, asked for seldom
   */
  public void complete(long nanos, long now, Octets identity, Supplier<Octets> network) {
    if (size == 0) {
      return;
    }
    count();
    for (int place = 0; place < size; place++) {
      addTimes(place, nanos, now);
      SearchDigest digest = digests[place];
      long weight = digest == null ? 0 : digest.senderWeight(hits[place], now);
      if (digest != null && weight > 0) {
        digest.addSender(identity, network.get(), weight);
      }
    }
    clear();
  }
}

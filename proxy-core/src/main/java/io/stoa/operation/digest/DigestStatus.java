// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.digest;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchPattern;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The statistics of one pattern at one moment.
 *
 * <p>Threading: immutable.
 *
 * @param pattern the pattern; null for all searches without a tracked one
 * @param first time of its first search, or of its first since it is tracked
 * @param last time of its last search
 * @param hits answers from memory, stale ones included
 * @param joined answers to searches that joined an equal one in flight
 * @param misses answers of a directory that may be stored
 * @param bypassed answers of a directory that must not be stored
 * @param entries entries of all answers
 * @param octets octets of all answers, without their envelopes
 * @param empty answers without entries
 * @param failed final responses other than success, and abandoned searches
 * @param mistaken those of them that repeat until the client or its rights are corrected
 * @param hitTimes durations of hits
 * @param missTimes durations of all other searches
 * @param upstream total duration of searches that were sent to a directory
 * @param recent median duration of the last of them, about a hundred; 0 without any
 * @param values estimated number of distinct combinations of values
 * @param identities identities with most searches; the name of anonymous clients is empty
 * @param networks networks with most searches; empty octets for local sockets
 */
public record DigestStatus(
    @Nullable SearchPattern pattern,
    Instant first,
    Instant last,
    long hits,
    long joined,
    long misses,
    long bypassed,
    long entries,
    long octets,
    long empty,
    long failed,
    long mistaken,
    Times hitTimes,
    Times missTimes,
    Duration upstream,
    Duration recent,
    long values,
    List<Sender> identities,
    List<Sender> networks) {
  public DigestStatus {
    identities = List.copyOf(identities);
    networks = List.copyOf(networks);
  }

  /**
   * Durations.
   *
   * <p>Threading: immutable.
   *
   * @param total their sum
   * @param p50 the median; 0 without durations
   * @param p99 the 99th percentile; 0 without durations
   */
  public record Times(Duration total, Duration p50, Duration p99) {}

  /**
   * A sender of searches, or a client of connections.
   *
   * <p>Threading: immutable.
   *
   * @param name the name of the identity, or the octets of the network's address
   * @param count its searches or connections, or more by at most the excess
   * @param excess maximum difference to the true number
   */
  public record Sender(Octets name, long count, long excess) {}

  /** Returns the number of searches. */
  public long searches() {
    return hits + joined + misses + bypassed;
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.digest;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchPattern;
import io.stoa.net.transport.StripedCounters;
import io.stoa.operation.digest.DigestStatus.Times;
import io.stoa.operation.event.CacheOutcome;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The statistics of all searches with one pattern.
 *
 * <p>Octets: 3,300 at most, the pattern and the names of senders included, and 960 for each event
 * loop that has recorded (see {@link StripedCounters}).
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>Each search is in exactly one of hits, joined, misses and bypassed.
 *   <li>Counts are exact while the pattern is tracked. Durations have {@link DurationCounts},
 *       values {@link DistinctCount}.
 *   <li>The first {@link #EACH_SENDER} records count their sender. Of later ones, one in {@link
 *       #SENDER_INTERVAL} counts as so many.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
public final class SearchDigest {
  private static final int EACH_SENDER = 1024;
  private static final int SENDER_INTERVAL = 16;

  private static final int HITS = 0;
  private static final int JOINED = 1;
  private static final int MISSES = 2;
  private static final int BYPASSED = 3;
  private static final int ENTRIES = 4;
  private static final int OCTETS = 5;
  private static final int EMPTY = 6;
  private static final int FAILED = 7;
  private static final int HIT_NANOS = 8;
  private static final int MISS_NANOS = 9;
  private static final int UPSTREAM_NANOS = 10;
  private static final int HIT_BUCKETS = 11;
  private static final int MISS_BUCKETS = HIT_BUCKETS + DurationCounts.BUCKETS;
  private static final int COUNTERS = MISS_BUCKETS + DurationCounts.BUCKETS;

  private final @Nullable SearchPattern pattern;
  private final Instant first = Instant.now();
  private final StripedCounters counters = new StripedCounters(COUNTERS);
  private final DistinctCount values = new DistinctCount();
  private final FrequentSenders identities = new FrequentSenders();
  private final FrequentSenders networks = new FrequentSenders();

  /** Searches of the patterns that it has replaced, as far as the order of replacement goes. */
  private final long inherited;

  private volatile boolean tracked = true;
  private volatile long lastNanos = System.nanoTime();

  /** Threads may lose an update, which only changes the next sender that counts. */
  private int records;

  SearchDigest(@Nullable SearchPattern pattern, long inherited) {
    this.pattern = pattern;
    this.inherited = inherited;
  }

  /** True while its table has it. Later searches belong to another digest. */
  public boolean isTracked() {
    return tracked;
  }

  void stopTracking() {
    tracked = false;
  }

  /** Counts the values of a search by their hash, of 31 bits. */
  public void addValues(int hash) {
    values.add(hash);
  }

  /** Adds octets of answers that are counted already. */
  void addOctets(long octets) {
    counters.add(OCTETS, octets);
  }

  /** Counts hits. Their durations follow by {@link #addHitTimes}. */
  void addHits(int hits, long entries, long octets, int empty) {
    counters.add(HITS, hits);
    counters.add(ENTRIES, entries);
    counters.add(OCTETS, octets);
    if (empty > 0) {
      counters.add(EMPTY, empty);
    }
  }

  /** Adds the duration in ns that a number of hits have in common. */
  void addHitTimes(long nanos, int hits, long now) {
    counters.add(HIT_BUCKETS + DurationCounts.bucket(nanos), hits);
    counters.add(HIT_NANOS, nanos * hits);
    onSeen(now);
  }

  /**
   * Counts a search whose answer was not taken from memory at once.
   *
   * @param outcome how the caches took part
   * @param entries entries of the answer
   * @param octets octets of the answer
   * @param resultCode code of the final response
   * @param nanos duration in ns
   * @param upstreamNanos time in ns for which a directory took to answer
   */
  public void add(
      CacheOutcome outcome,
      int entries,
      long octets,
      int resultCode,
      long nanos,
      long upstreamNanos) {
    counters.add(counter(outcome), 1);
    counters.add(ENTRIES, entries);
    counters.add(OCTETS, octets);
    counters.add(EMPTY, entries == 0 ? 1 : 0);
    counters.add(FAILED, resultCode == 0 ? 0 : 1);
    boolean hit = counter(outcome) == HITS;
    counters.add((hit ? HIT_BUCKETS : MISS_BUCKETS) + DurationCounts.bucket(nanos), 1);
    counters.add(hit ? HIT_NANOS : MISS_NANOS, nanos);
    counters.add(UPSTREAM_NANOS, upstreamNanos);
    onSeen(System.nanoTime());
  }

  private static int counter(CacheOutcome outcome) {
    return switch (outcome) {
      case HIT, STALE -> HITS;
      case JOINED -> JOINED;
      case MISS -> MISSES;
      case BYPASS, NONE -> BYPASSED;
    };
  }

  private void onSeen(long now) {
    lastNanos = now;
  }

  /**
   * Returns the searches for which the sender of some searches counts; 0 for none.
   *
   * @param searches number of searches of the sender
   */
  public long senderWeight(int searches) {
    int number = records++;
    if (number >= 0 && number < EACH_SENDER) {
      return searches;
    }
    return number % SENDER_INTERVAL == 0 ? (long) searches * SENDER_INTERVAL : 0;
  }

  /** Counts searches of a sender. */
  public void addSender(Octets identity, Octets network, long searches) {
    identities.add(identity, searches);
    networks.add(network, searches);
  }

  /** Returns the number of searches. */
  long searches() {
    return counters.get(HITS)
        + counters.get(JOINED)
        + counters.get(MISSES)
        + counters.get(BYPASSED);
  }

  /** Returns the total time in ns for which directories took to answer. */
  long upstreamNanos() {
    return counters.get(UPSTREAM_NANOS);
  }

  /** Returns the rank by which the least frequent pattern is replaced. */
  long rank() {
    return inherited + searches();
  }

  @Nullable SearchPattern pattern() {
    return pattern;
  }

  /** Adds the counts of a digest that is no longer tracked, without values and senders. */
  void addAll(SearchDigest other) {
    for (int index = 0; index < COUNTERS; index++) {
      long count = other.counters.get(index);
      if (count != 0) {
        counters.add(index, count);
      }
    }
    lastNanos = Math.max(lastNanos, other.lastNanos);
  }

  /** Returns its present statistics. */
  DigestStatus status() {
    Instant last = Instant.now().minusNanos(Math.max(0, System.nanoTime() - lastNanos));
    return new DigestStatus(
        pattern,
        first,
        last.isBefore(first) ? first : last,
        counters.get(HITS),
        counters.get(JOINED),
        counters.get(MISSES),
        counters.get(BYPASSED),
        counters.get(ENTRIES),
        counters.get(OCTETS),
        counters.get(EMPTY),
        counters.get(FAILED),
        times(HIT_NANOS, HIT_BUCKETS),
        times(MISS_NANOS, MISS_BUCKETS),
        Duration.ofNanos(counters.get(UPSTREAM_NANOS)),
        values.estimate(),
        identities.list(),
        networks.list());
  }

  private Times times(int sum, int buckets) {
    long[] counts = new long[DurationCounts.BUCKETS];
    for (int bucket = 0; bucket < counts.length; bucket++) {
      counts[bucket] = counters.get(buckets + bucket);
    }
    return new Times(
        Duration.ofNanos(counters.get(sum)),
        Duration.ofNanos(DurationCounts.quantile(counts, 0.5)),
        Duration.ofNanos(DurationCounts.quantile(counts, 0.99)));
  }
}

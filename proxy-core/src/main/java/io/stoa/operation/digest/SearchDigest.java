// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.digest;

import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchPattern;
import io.stoa.net.transport.StripedCounters;
import io.stoa.operation.digest.DigestStatus.Times;
import io.stoa.operation.event.CacheOutcome;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The statistics of all searches with one pattern.
 *
 * <p>Octets: 8,000 at most, the pattern and the names of senders included, and 960 for each event
 * loop that has recorded (see {@link StripedCounters}).
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>Each search is in exactly one of hits, joined, misses and bypassed.
 *   <li>Counts are exact while the pattern is tracked, and belong to its successor afterwards.
 *       Durations have {@link DurationCounts}, values {@link DistinctCount}.
 *   <li>The first {@link #EACH_SENDER} records count their sender. Of later ones, about one in
 *       {@link #SENDER_INTERVAL} counts as so many.
 *   <li>Only its table and searches in flight refer to it. Templates have its {@link Handle}.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
public final class SearchDigest {
  private static final int EACH_SENDER = 1024;
  private static final int SENDER_INTERVAL = 16;
  private static final int SENDER_SHIFT = 4;
  private static final long SEEN_INTERVAL = 1_000_000;
  private static final int RECENT = 16;

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
  private static final int MISTAKEN = MISS_BUCKETS + DurationCounts.BUCKETS;
  private static final int COUNTERS = MISTAKEN + 1;

  /**
   * Result codes that repeat until the request is corrected: noSuchAttribute,
   * undefinedAttributeType, inappropriateMatching, invalidAttributeSyntax, noSuchObject,
   * invalidDNSyntax, insufficientAccessRights and unwillingToPerform (RFC 4511, section 4.1.9).
   */
  private static final Set<Integer> MISTAKES = Set.of(16, 17, 18, 21, 32, 34, 50, 53);

  private final @Nullable SearchPattern pattern;
  private final Instant first = Instant.now();
  private final StripedCounters counters = new StripedCounters(COUNTERS);
  private final DistinctCount values = new DistinctCount();
  private final FrequentSenders identities = new FrequentSenders();
  private final FrequentSenders networks = new FrequentSenders();

  /** Searches of the patterns that it has replaced, as far as the order of replacement goes. */
  private final long inherited;

  private final Handle handle = new Handle(this);

  /** The digest that counts its later searches; null while its pattern is tracked. */
  private volatile @Nullable SearchDigest successor;

  private volatile long lastNanos = System.nanoTime();

  /**
   * Moving median of the durations of searches sent to a directory, in ns. Threads may lose an
   * update.
   */
  private volatile long recentNanos;

  /** Divisor of the next step of the moving median: 2 at first, later {@link #RECENT}. */
  private int recentDivisor = 2;

  /** Threads may lose an update, so that a few more records count their sender. */
  private int records;

  /**
   * Leads to a digest as long as it is tracked, so that no template keeps a replaced one in memory.
   *
   * <p>Octets: 16.
   *
   * <p>Threading: thread-safe.
   */
  public static final class Handle {
    private volatile @Nullable SearchDigest digest;

    private Handle(SearchDigest digest) {
      this.digest = digest;
    }

    /** Returns the digest; null if it is no longer tracked. */
    public @Nullable SearchDigest digest() {
      return digest;
    }
  }

  /**
   * The answer to a search.
   *
   * <p>Threading: immutable.
   *
   * @param entries its entries
   * @param octets its octets, without envelopes
   * @param resultCode code of the final response; below 0 if the search was abandoned
   */
  public record Answer(int entries, long octets, int resultCode) {}

  SearchDigest(@Nullable SearchPattern pattern, long inherited) {
    this.pattern = pattern;
    this.inherited = inherited;
  }

  /** Returns the handle by which templates find it. */
  public Handle handle() {
    return handle;
  }

  /** Ends its use. Searches in flight count in another digest. */
  void replaceBy(SearchDigest other) {
    successor = other;
    handle.digest = null;
  }

  /** Returns the digest that counts its searches now: itself while its pattern is tracked. */
  private SearchDigest current() {
    SearchDigest now = this;
    for (SearchDigest next = successor; next != null; next = next.successor) {
      now = next;
    }
    return now;
  }

  /**
   * True if the values of each hit must be counted. Later the miss that has read a result counts
   * them, and a sample of hits.
   */
  public boolean countsEachValue() {
    return records < EACH_SENDER;
  }

  /** Counts the values of a search by their hash, of 31 bits. */
  public void addValues(int hash) {
    values.add(hash);
  }

  /** Adds octets of answers that are counted already. */
  void addOctets(long octets) {
    current().counters.add(OCTETS, octets);
  }

  /** Counts hits. Their durations follow by {@link #addHitTimes}. */
  void addHits(int hits, long entries, long octets, int empty, int failed) {
    StripedCounters own = current().counters;
    own.add(HITS, hits);
    own.add(ENTRIES, entries);
    own.add(OCTETS, octets);
    if (empty > 0) {
      own.add(EMPTY, empty);
    }
    if (failed > 0) {
      own.add(FAILED, failed);
      own.add(MISTAKEN, failed); // the caches keep noSuchObject only
    }
  }

  /** Adds the duration in ns that a number of hits have in common. */
  void addHitTimes(long nanos, int hits, long now) {
    SearchDigest own = current();
    own.counters.add(HIT_BUCKETS + DurationCounts.bucket(nanos), hits);
    own.counters.add(HIT_NANOS, nanos * hits);
    own.onSeen(now);
  }

  /**
   * Counts a search whose answer was not taken from memory at once.
   *
   * @param outcome how the caches took part
   * @param answer the answer
   * @param nanos duration in ns
   * @param upstreamNanos the same if a directory was asked; 0 otherwise
   */
  public void add(CacheOutcome outcome, Answer answer, long nanos, long upstreamNanos) {
    SearchDigest current = current();
    StripedCounters own = current.counters;
    own.add(counter(outcome), 1);
    own.add(ENTRIES, answer.entries());
    own.add(OCTETS, answer.octets());
    own.add(EMPTY, answer.entries() == 0 && answer.resultCode() >= 0 ? 1 : 0);
    own.add(FAILED, answer.resultCode() == 0 ? 0 : 1);
    own.add(MISTAKEN, MISTAKES.contains(answer.resultCode()) ? 1 : 0);
    boolean hit = counter(outcome) == HITS;
    own.add((hit ? HIT_BUCKETS : MISS_BUCKETS) + DurationCounts.bucket(nanos), 1);
    own.add(hit ? HIT_NANOS : MISS_NANOS, nanos);
    own.add(UPSTREAM_NANOS, upstreamNanos);
    if (upstreamNanos > 0) {
      current.addRecent(upstreamNanos);
    }
    current.onSeen(System.nanoTime());
  }

  /**
   * Moves the recent median towards a duration by a {@value #RECENT}th, so that no outlier counts
   * for more (frugal streaming: Ma, Muthukrishnan and Sandler, 2013). The first steps are larger.
   */
  private void addRecent(long nanos) {
    long median = recentNanos;
    long step = Math.max(1, median / recentDivisor);
    recentNanos = median == 0 ? nanos : median + (nanos > median ? step : -step);
    recentDivisor = Math.min(RECENT, recentDivisor + 1);
  }

  private static int counter(CacheOutcome outcome) {
    return switch (outcome) {
      case HIT, STALE -> HITS;
      case JOINED -> JOINED;
      case MISS -> MISSES;
      case BYPASS, NONE -> BYPASSED;
    };
  }

  /** Writes to shared memory once in a millisecond. */
  private void onSeen(long now) {
    if (now - lastNanos > SEEN_INTERVAL) {
      lastNanos = now;
    }
  }

  /**
   * Returns the searches for which the sender of some searches counts; 0 for none.
   *
   * @param searches number of searches of the sender
   * @param now the present time in ns, whose lower bits choose the samples
   */
  public long senderWeight(int searches, long now) {
    if (records < EACH_SENDER) {
      records++;
      return searches;
    }
    boolean chosen = (now >>> SENDER_SHIFT) % SENDER_INTERVAL == 0;
    return chosen ? (long) searches * SENDER_INTERVAL : 0;
  }

  /** Counts searches of a sender. */
  public void addSender(Octets identity, Octets network, long searches) {
    SearchDigest own = current();
    own.identities.add(identity, searches);
    own.networks.add(network, searches);
  }

  /** Returns the number of searches. */
  long searches() {
    return counters.get(HITS)
        + counters.get(JOINED)
        + counters.get(MISSES)
        + counters.get(BYPASSED);
  }

  /** Returns the total duration in ns of searches that were sent to a directory. */
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
        counters.get(MISTAKEN),
        times(HIT_NANOS, HIT_BUCKETS),
        times(MISS_NANOS, MISS_BUCKETS),
        Duration.ofNanos(counters.get(UPSTREAM_NANOS)),
        Duration.ofNanos(recentNanos),
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

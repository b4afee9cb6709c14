// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.digest;

import io.stoa.ldap.protocol.Redaction;
import io.stoa.ldap.protocol.RequestOp.SearchOp;
import io.stoa.ldap.protocol.SearchPattern;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The digests of the most frequent patterns, at most {@value #MAX_PATTERNS}, by the algorithm
 * Space-Saving (Metwally, Agrawal and El Abbadi, 2005). A new pattern replaces the least frequent
 * one, and takes over its rank, so that it is not the next to be replaced.
 *
 * <p>Octets: those of its digests, at most 9 MiB with one event loop, and 1 MiB more for each
 * other.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>Each search since the last reset counts in one tracked digest, or in {@link #others}. The
 *       moment of a replacement may lose a count of another thread.
 *   <li>A pattern has at most one tracked digest.
 *   <li>One replacement in {@link #VICTIMS} ranks all digests, so new patterns stay cheap.
 * </ol>
 *
 * <p>Threading: thread-safe.
 */
public final class DigestTable {
  /** Maximum number of tracked patterns. */
  static final int MAX_PATTERNS = 1000;

  private static final int VICTIMS = 64;

  private final Map<SearchPattern, SearchDigest> digests = new HashMap<>();

  /** The least frequent digests, as last ranked, in the order of their replacement. */
  private final Deque<SearchDigest> victims = new ArrayDeque<>();

  private volatile boolean full;
  private volatile SearchDigest others = new SearchDigest(null, 0);

  /** Creates an empty table. */
  public DigestTable() {}

  /** Returns the digest of a search, which is tracked from now on. */
  public SearchDigest digest(SearchOp search) {
    SearchPattern pattern = Redaction.pattern(search);
    synchronized (this) {
      SearchDigest known = digests.get(pattern);
      return known == null ? track(pattern) : known;
    }
  }

  private SearchDigest track(SearchPattern pattern) {
    long rank = digests.size() < MAX_PATTERNS ? 0 : replaceOne();
    SearchDigest digest = new SearchDigest(pattern, rank);
    digests.put(pattern, digest);
    full = digests.size() == MAX_PATTERNS;
    return digest;
  }

  /** Stops tracking the least frequent pattern, and returns its rank. */
  private long replaceOne() {
    if (victims.isEmpty()) {
      digests.values().stream()
          .map(digest -> Map.entry(digest, digest.rank()))
          .sorted(Map.Entry.comparingByValue())
          .limit(VICTIMS)
          .forEach(ranked -> victims.add(ranked.getKey()));
    }
    SearchDigest victim = victims.remove();
    long rank = victim.rank();
    victim.replaceBy(others);
    others.addAll(victim);
    digests.remove(victim.pattern());
    return rank;
  }

  /** True if a new pattern replaces another one. */
  public boolean isFull() {
    return full;
  }

  /** Returns the digest of all searches without a tracked pattern. */
  public SearchDigest others() {
    return others;
  }

  /** Forgets all patterns and counts. */
  public synchronized void reset() {
    SearchDigest next = new SearchDigest(null, 0);
    digests.values().forEach(digest -> digest.replaceBy(next));
    digests.clear();
    victims.clear();
    full = false;
    others.replaceBy(next);
    others = next;
  }

  /**
   * Returns the statistics of the patterns with the largest total time at directories.
   *
   * @param number maximum number of patterns
   */
  public List<DigestStatus> costliest(int number) {
    return tracked().stream()
        .map(digest -> Map.entry(digest, digest.upstreamNanos()))
        .filter(ranked -> ranked.getValue() > 0)
        .sorted(Map.Entry.<SearchDigest, Long>comparingByValue().reversed())
        .map(Map.Entry::getKey)
        .filter(withoutDuplicates())
        .limit(number)
        .map(SearchDigest::status)
        .toList();
  }

  /** Accepts one digest for each id. A client can make patterns with equal ids with some effort. */
  private static Predicate<SearchDigest> withoutDuplicates() {
    Set<String> ids = new HashSet<>();
    return digest -> {
      SearchPattern pattern = digest.pattern();
      return pattern == null || ids.add(pattern.id());
    };
  }

  /** Returns the statistics of all searches without a tracked pattern. */
  public DigestStatus statusOfOthers() {
    return others.status();
  }

  private synchronized List<SearchDigest> tracked() {
    return List.copyOf(digests.values());
  }

  /** Returns the statistics of each pattern with searches, and those of all others last. */
  public List<DigestStatus> status() {
    return Stream.concat(
            tracked().stream()
                .filter(withoutDuplicates())
                .map(SearchDigest::status)
                .filter(status -> status.searches() > 0)
                .sorted(Comparator.comparing(DigestStatus::upstream).reversed()),
            Stream.of(statusOfOthers()))
        .toList();
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.advice;

import io.stoa.ldap.protocol.SearchPattern;
import io.stoa.operation.digest.DigestStatus;
import io.stoa.proxy.advice.Advice.Topic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Advises indexes for patterns that take a directory much longer than others, though few entries
 * are returned.
 *
 * <p>A pattern is slow if its recent searches take 2 ms and five times as long as those of the
 * fastest other pattern, and its entries explain less than half of that. Without another pattern 10
 * ms are slow. A directory that reads all entries takes 2 ms at some 5,000 entries.
 *
 * <p>Threading: stateless.
 */
final class IndexRule {
  /** Minimum number of searches of a pattern that were sent to a directory. */
  private static final long MIN_SENT = 20;

  private static final Duration MIN_TIME = Duration.ofMillis(2);
  private static final Duration ALWAYS_SLOW = Duration.ofMillis(10);
  private static final int MIN_FACTOR = 5;

  /** Time that a directory may take for each returned entry. */
  private static final Duration EACH_ENTRY = Duration.ofNanos(50_000);

  /** Time that a directory may take for each returned octet. */
  private static final Duration EACH_OCTET = Duration.ofNanos(20);

  private static final int HALF = 2;
  private static final int BASE_SCOPE = 0;
  private static final int SUBTREE_SCOPE = 2;

  private IndexRule() {}

  /** A pattern with enough searches, and its assertions. Threading: immutable. */
  private record Candidate(
      DigestStatus digest, SearchPattern pattern, Set<IndexedAssertion> assertions) {
    static Stream<Candidate> of(DigestStatus digest) {
      SearchPattern pattern = digest.pattern();
      boolean known = sent(digest) >= MIN_SENT && !digest.recent().isZero();
      return pattern == null || !known
          ? Stream.empty()
          : Stream.of(new Candidate(digest, pattern, assertions(pattern)));
    }

    private static Set<IndexedAssertion> assertions(SearchPattern pattern) {
      return pattern.scope() == BASE_SCOPE ? Set.of() : IndexedAssertion.of(pattern.filter());
    }

    Duration time() {
      return digest.recent();
    }

    boolean isSlow(@Nullable Duration fastest) {
      long searches = Math.max(1, digest.searches());
      Duration explained =
          EACH_ENTRY
              .multipliedBy(digest.entries())
              .plus(EACH_OCTET.multipliedBy(digest.octets()))
              .multipliedBy(HALF)
              .dividedBy(searches);
      Duration slow = fastest == null ? ALWAYS_SLOW : fastest.multipliedBy(MIN_FACTOR);
      return time().compareTo(MIN_TIME) >= 0
          && time().compareTo(slow) >= 0
          && time().compareTo(explained) > 0;
    }
  }

  static Stream<Advice> advise(TrafficStatus traffic) {
    List<Candidate> candidates = traffic.digests().stream().flatMap(Candidate::of).toList();
    List<Duration> fastest = candidates.stream().map(Candidate::time).sorted().limit(2).toList();
    return candidates.stream()
        .flatMap(candidate -> advise(candidate, candidates, fastestOther(candidate, fastest)));
  }

  /** Returns the shortest time of the other patterns; null without any. */
  private static @Nullable Duration fastestOther(Candidate candidate, List<Duration> fastest) {
    int place = candidate.time().equals(fastest.get(0)) ? 1 : 0;
    return place < fastest.size() ? fastest.get(place) : null;
  }

  private static Stream<Advice> advise(
      Candidate candidate, List<Candidate> candidates, @Nullable Duration fastest) {
    return candidate.isSlow(fastest)
        ? advise(candidate, fastest, indexed(candidate, candidates, fastest))
        : Stream.empty();
  }

  /** Returns what fast searches of the same subtree, or of one above it, assert alone. */
  private static Set<IndexedAssertion> indexed(
      Candidate slow, List<Candidate> candidates, @Nullable Duration fastest) {
    Set<IndexedAssertion> indexed = new HashSet<>();
    candidates.stream()
        .filter(candidate -> candidate.assertions().size() == 1 && !candidate.isSlow(fastest))
        .filter(candidate -> contains(candidate.pattern(), slow.pattern()))
        .map(Candidate::assertions)
        .forEach(indexed::addAll);
    return indexed;
  }

  private static boolean contains(SearchPattern outer, SearchPattern inner) {
    return outer.scope() == SUBTREE_SCOPE
        && (inner.base().equals(outer.base()) || inner.base().endsWith("," + outer.base()));
  }

  private static long sent(DigestStatus digest) {
    return digest.misses() + digest.bypassed();
  }

  /** Advises an index for each assertion of the pattern that no fast pattern has alone. */
  private static Stream<Advice> advise(
      Candidate slow, @Nullable Duration fastest, Set<IndexedAssertion> indexed) {
    DigestStatus digest = slow.digest();
    List<IndexedAssertion> missing =
        slow.assertions().stream().filter(assertion -> !indexed.contains(assertion)).toList();
    if (missing.isEmpty()) {
      return Stream.empty();
    }
    return Stream.of(
        new Advice(
            Topic.INDEX,
            String.join(", ", missing.stream().map(IndexedAssertion::attribute).toList()),
            sent(digest)
                + " searches "
                + slow.pattern().text()
                + " were sent to the directory; recent ones took "
                + NumberFormats.millis(digest.recent())
                + " for "
                + NumberFormats.mean(digest.entries(), digest.searches())
                + " entries"
                + (fastest == null
                    ? ""
                    : ", the fastest other pattern takes " + NumberFormats.millis(fastest)),
            change(missing)));
  }

  /** Returns the lines for each server's own configuration. */
  private static List<String> change(List<IndexedAssertion> missing) {
    List<String> change = new ArrayList<>();
    for (IndexedAssertion assertion : missing) {
      String type = assertion.type().word();
      change.add("slapd: olcDbIndex: " + assertion.attribute() + " " + type);
      change.add(
          "slapd.conf: index "
              + assertion.attribute()
              + " "
              + type
              + "; stop slapd, run slapindex as its user, start slapd");
      change.add(
          "389-ds: dsconf INSTANCE backend index add --attr "
              + assertion.attribute()
              + " --index-type "
              + type
              + " --reindex BACKEND");
    }
    change.add(
        "if the attribute has an index of another type: add the type to its value of olcDbIndex; "
            + "dsconf INSTANCE backend index set --attr ATTRIBUTE --add-type TYPE BACKEND");
    return change;
  }
}

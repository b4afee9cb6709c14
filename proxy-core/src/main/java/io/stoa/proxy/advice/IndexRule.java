// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.advice;

import io.stoa.ldap.protocol.SearchPattern;
import io.stoa.operation.digest.DigestStatus;
import io.stoa.proxy.advice.Advice.Topic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
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

  static Stream<Advice> advise(TrafficStatus traffic) {
    List<DigestStatus> known =
        traffic.digests().stream()
            .filter(digest -> digest.pattern() != null && sent(digest) >= MIN_SENT)
            .filter(digest -> !digest.recent().isZero())
            .toList();
    return known.stream().flatMap(digest -> advise(digest, known));
  }

  private static Stream<Advice> advise(DigestStatus digest, List<DigestStatus> known) {
    Duration fastest =
        known.stream()
            .filter(other -> !other.equals(digest))
            .map(DigestStatus::recent)
            .min(Comparator.naturalOrder())
            .orElse(null);
    return isSlow(digest, fastest)
        ? advise(digest, fastest, indexed(digest, known, fastest))
        : Stream.empty();
  }

  /** Returns what fast searches of the same subtree, or of one above it, assert alone. */
  private static Set<IndexedAssertion> indexed(
      DigestStatus slow, List<DigestStatus> known, @Nullable Duration fastest) {
    Set<IndexedAssertion> indexed = new HashSet<>();
    known.stream()
        .filter(digest -> !digest.equals(slow) && contains(digest.pattern(), slow.pattern()))
        .filter(digest -> !isSlow(digest, fastest))
        .map(IndexRule::tests)
        .filter(tests -> tests.size() == 1)
        .forEach(indexed::addAll);
    return indexed;
  }

  private static boolean contains(@Nullable SearchPattern outer, @Nullable SearchPattern inner) {
    return outer != null
        && inner != null
        && outer.scope() == SUBTREE_SCOPE
        && (inner.base().equals(outer.base()) || inner.base().endsWith("," + outer.base()));
  }

  private static long sent(DigestStatus digest) {
    return digest.misses() + digest.bypassed();
  }

  private static boolean isSlow(DigestStatus digest, @Nullable Duration fastest) {
    Duration time = digest.recent();
    long searches = Math.max(1, digest.searches());
    Duration explained =
        EACH_ENTRY
            .multipliedBy(digest.entries())
            .plus(EACH_OCTET.multipliedBy(digest.octets()))
            .multipliedBy(HALF)
            .dividedBy(searches);
    Duration slow = fastest == null ? ALWAYS_SLOW : fastest.multipliedBy(MIN_FACTOR);
    return time.compareTo(MIN_TIME) >= 0
        && time.compareTo(slow) >= 0
        && time.compareTo(explained) > 0;
  }

  private static Set<IndexedAssertion> tests(DigestStatus digest) {
    SearchPattern pattern = digest.pattern();
    return pattern == null || pattern.scope() == BASE_SCOPE
        ? Set.of()
        : IndexedAssertion.of(pattern.filter());
  }

  /** Advises an index for each assertion of the pattern that no fast pattern has alone. */
  private static Stream<Advice> advise(
      DigestStatus digest, @Nullable Duration fastest, Set<IndexedAssertion> indexed) {
    SearchPattern pattern = Objects.requireNonNull(digest.pattern());
    List<IndexedAssertion> missing =
        tests(digest).stream().filter(test -> !indexed.contains(test)).toList();
    if (missing.isEmpty()) {
      return Stream.empty();
    }
    return Stream.of(
        new Advice(
            Topic.INDEX,
            String.join(", ", missing.stream().map(IndexedAssertion::attribute).toList()),
            sent(digest)
                + " searches "
                + pattern.text()
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
    for (IndexedAssertion test : missing) {
      String type = test.type().word();
      change.add("slapd: olcDbIndex: " + test.attribute() + " " + type);
      change.add(
          "slapd.conf: index "
              + test.attribute()
              + " "
              + type
              + "; stop slapd, run slapindex as its user, start slapd");
      change.add(
          "389-ds: dsconf INSTANCE backend index add --attr "
              + test.attribute()
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

// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.advice;

import io.stoa.ldap.protocol.SearchPattern;
import io.stoa.operation.digest.DigestStatus;
import io.stoa.proxy.advice.Advice.Topic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Advises indexes for patterns that take a directory much longer than others, though few entries
 * are returned.
 *
 * <p>A pattern is slow if its recent searches take 2 ms and five times as long as those of the
 * fastest pattern, and its entries explain less than half of that. A directory that reads all
 * entries takes as long at 1,000 entries, or longer.
 *
 * <p>Threading: stateless.
 */
final class IndexRule {
  /** Minimum number of searches of a pattern that were sent to a directory. */
  private static final long MIN_SENT = 20;

  private static final Duration MIN_TIME = Duration.ofMillis(2);
  private static final int MIN_FACTOR = 5;

  /** Time that a directory may take for each returned entry. */
  private static final Duration EACH_ENTRY = Duration.ofNanos(50_000);

  private static final int HALF = 2;
  private static final int BASE_SCOPE = 0;

  private IndexRule() {}

  static Stream<Advice> advise(TrafficStatus traffic) {
    List<DigestStatus> known =
        traffic.digests().stream()
            .filter(digest -> digest.pattern() != null && sent(digest) >= MIN_SENT)
            .filter(digest -> !digest.recent().isZero())
            .toList();
    if (known.isEmpty()) {
      return Stream.empty();
    }
    Duration fastest = Collections.min(known.stream().map(DigestStatus::recent).toList());
    Set<IndexedAssertion> indexed = new HashSet<>();
    known.stream()
        .filter(digest -> !isSlow(digest, fastest))
        .map(IndexRule::tests)
        .filter(tests -> tests.size() == 1)
        .forEach(indexed::addAll);
    return known.stream()
        .filter(digest -> isSlow(digest, fastest))
        .flatMap(digest -> advise(digest, fastest, indexed));
  }

  private static long sent(DigestStatus digest) {
    return digest.misses() + digest.bypassed();
  }

  private static boolean isSlow(DigestStatus digest, Duration fastest) {
    Duration time = digest.recent();
    long entries = digest.searches() == 0 ? 0 : digest.entries() / digest.searches();
    Duration explained = EACH_ENTRY.multipliedBy(entries * HALF);
    return time.compareTo(MIN_TIME) >= 0
        && time.compareTo(fastest.multipliedBy(MIN_FACTOR)) >= 0
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
      DigestStatus digest, Duration fastest, Set<IndexedAssertion> indexed) {
    SearchPattern pattern = Objects.requireNonNull(digest.pattern());
    List<IndexedAssertion> missing =
        tests(digest).stream().filter(test -> !indexed.contains(test)).toList();
    if (missing.isEmpty()) {
      return Stream.empty();
    }
    List<String> change = new ArrayList<>();
    for (IndexedAssertion test : missing) {
      String type = test.type().word();
      change.add("slapd: olcDbIndex: " + test.attribute() + " " + type);
      change.add("slapd.conf: index " + test.attribute() + " " + type + ", then run slapindex");
      change.add(
          "389-ds: dsconf INSTANCE backend index add --attr "
              + test.attribute()
              + " --index-type "
              + type
              + " --reindex BACKEND");
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
                + " entries, the fastest pattern takes "
                + NumberFormats.millis(fastest),
            change));
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.advice;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.cache.ghost.CurveStatus;
import io.stoa.cache.ghost.CurveStatus.SizePoint;
import io.stoa.cache.ghost.LargeAnswers.Sizes;
import io.stoa.cache.result.CacheConfig;
import io.stoa.cache.result.CacheStats;
import io.stoa.cache.sharing.EqualAnswers.Comparisons;
import io.stoa.feed.event.FeedAbsence;
import io.stoa.ldap.protocol.LdapResultCode;
import io.stoa.ldap.protocol.Octets;
import io.stoa.ldap.protocol.SearchPattern;
import io.stoa.operation.FailedBindCounters.OfNetwork;
import io.stoa.operation.digest.DigestStatus;
import io.stoa.operation.digest.DigestStatus.Sender;
import io.stoa.operation.digest.DigestStatus.Times;
import io.stoa.operation.digest.ShortConnections;
import io.stoa.proxy.advice.Advice.Topic;
import io.stoa.testing.Records;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Advice follows from statistics. Each test changes one value of a healthy traffic. */
class AdvisorTest {
  private static final Instant BEGIN = Instant.parse("2026-11-30T08:00:00Z");
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Times NO_TIMES = new Times(Duration.ZERO, Duration.ZERO, Duration.ZERO);
  private static final Sender NETWORK =
      new Sender(Octets.of(new byte[] {(byte) 192, 0, 2, 9}), 2000, 0);
  private static final Sender IDENTITY =
      new Sender(Octets.of("cn=app,dc=example,dc=com".getBytes(UTF_8)), 2000, 0);
  private static final FeedAbsence NO_FEED =
      new FeedAbsence("dc=example,dc=com", "feed.bindDn is not set", Duration.ofSeconds(5));
  private static final CurveStatus FLAT = curve(0.9, 0.9, 0.9, 0.9, 0.9);
  private static final CacheStats CACHE =
      new CacheStats(
          true,
          0,
          0,
          0,
          0,
          100_000,
          0,
          0,
          0,
          100_000,
          100,
          0,
          100_000_000,
          0,
          0,
          0,
          0,
          0,
          5,
          0,
          0,
          true,
          0,
          0,
          List.of());
  private static final DigestStatus FAST = digest("(uid=?)", "cn", Duration.ofNanos(200_000));
  private static final DigestStatus SLOW = digest("(mail=?)", "cn", Duration.ofMillis(14));

  private static final TrafficStatus HEALTHY =
      new TrafficStatus(
          CacheConfig.DEFAULTS,
          CACHE,
          1L << 30,
          FLAT,
          FLAT,
          List.of(),
          List.of(),
          List.of(FAST),
          List.of(NO_FEED),
          List.of(),
          new ShortConnections.Status(500, 20, List.of(sender(20))));

  private static Sender sender(long count) {
    return new Sender(NETWORK.name(), count, 0);
  }

  private static CurveStatus curve(double... ratios) {
    long[] sizes = {25_000, 50_000, 100_000, 200_000, 400_000};
    List<SizePoint> points =
        IntStream.range(0, sizes.length)
            .mapToObj(at -> new SizePoint(sizes[at], ratios[at], sizes[at], sizes[at], sizes[at]))
            .toList();
    return new CurveStatus(5000, 0, Duration.ofSeconds(2), points);
  }

  /** A pattern with 2,000 searches of 50 values, half of them hits, with one entry each. */
  private static DigestStatus digest(String filter, String attributes, Duration recent) {
    return new DigestStatus(
        new SearchPattern("dc=example,dc=com", 2, filter, attributes, 0),
        BEGIN,
        BEGIN.plus(HOUR),
        1000,
        0,
        1000,
        0,
        2000,
        400_000,
        0,
        0,
        0,
        NO_TIMES,
        NO_TIMES,
        recent.multipliedBy(1000),
        recent,
        50,
        List.of(IDENTITY),
        List.of(NETWORK));
  }

  private static List<Advice> advise(String component, Object value) {
    return Advisor.advise(Records.with(HEALTHY, component, value)).advice();
  }

  private static Advice only(String component, Object value) {
    List<Advice> all = advise(component, value);
    assertThat(all).hasSize(1);
    return all.get(0);
  }

  private static Advice only(DigestStatus digest, String component, Object value) {
    return only("digests", List.of(FAST, Records.with(digest, component, value)));
  }

  @Test
  void healthyTrafficGetsNoAdvice() {
    assertThat(Advisor.advise(HEALTHY).advice()).isEmpty();
  }

  @Test
  void aSlowPatternGetsAnIndexInTheSyntaxOfTheServers() {
    Advice advice = only("digests", List.of(FAST, SLOW));
    assertThat(advice.topic()).isEqualTo(Topic.INDEX);
    assertThat(advice.subject()).isEqualTo("mail");
    assertThat(advice.evidence())
        .contains("1000 searches", "(mail=?)", "14.00 ms", "1.0 entries", "0.20 ms");
    assertThat(advice.change())
        .contains(
            "slapd: olcDbIndex: mail eq",
            "slapd.conf: index mail eq; stop slapd, run slapindex as its user, start slapd",
            "389-ds: dsconf INSTANCE backend index add --attr mail --index-type eq "
                + "--reindex BACKEND");
  }

  @Test
  void anAssertionOfAFastPatternIsIndexed() {
    DigestStatus either = digest("(|(uid=?)(mail=?*))", "cn", Duration.ofMillis(14));
    Advice advice = only("digests", List.of(FAST, either));
    assertThat(advice.subject()).isEqualTo("mail");
    assertThat(advice.change()).contains("slapd: olcDbIndex: mail sub");
  }

  @Test
  void manyEntriesExplainASlowSearch() {
    assertThat(advise("digests", List.of(FAST, Records.with(SLOW, "entries", 2_000_000L))))
        .isEmpty();
  }

  @Test
  void octetsExplainASlowSearch() {
    assertThat(advise("digests", List.of(FAST, Records.with(SLOW, "octets", 2_000_000_000L))))
        .isEmpty();
  }

  @Test
  void oneSlowPatternNeedsNoOtherForComparison() {
    assertThat(only("digests", List.of(SLOW)).subject()).isEqualTo("mail");
  }

  @Test
  void aRuleGivesLittleAdvice() {
    List<DigestStatus> slow =
        IntStream.range(0, 30)
            .mapToObj(at -> digest("(a" + at + "=?)", "cn", Duration.ofMillis(14)))
            .toList();
    List<DigestStatus> all = Stream.concat(Stream.of(FAST), slow.stream()).toList();
    assertThat(advise("digests", all)).hasSize(20);
  }

  @Test
  void attributesThatAreNoNamesAreNotRepeated() {
    DigestStatus hostile = digest("(mail$(reboot)=?)", "cn", Duration.ofMillis(14));
    assertThat(advise("digests", List.of(FAST, hostile))).isEmpty();
  }

  @Test
  void aSlowDirectoryIsNoReasonForAnIndex() {
    DigestStatus other = digest("(uid=?)", "cn", Duration.ofMillis(10));
    assertThat(advise("digests", List.of(other, SLOW))).isEmpty();
  }

  @Test
  void aCurveThatRisesGetsTheSizeOfItsKnee() {
    TrafficStatus steep = Records.with(HEALTHY, "byEntries", curve(0.2, 0.4, 0.6, 0.9, 0.905));
    TrafficStatus both = Records.with(steep, "byResults", curve(0.2, 0.4, 0.6, 0.9, 0.905));
    List<Advice> all = Advisor.advise(both).advice();
    assertThat(all).hasSize(1);
    assertThat(all.get(0).topic()).isEqualTo(Topic.CACHE_SIZE);
    assertThat(all.get(0).evidence()).contains("60.0%", "90.0%", "200000 results");
    assertThat(all.get(0).change())
        .containsExactly("cache:", "  filterCacheSize: 200000", "  entryCacheSize: 220000");
  }

  @Test
  void tooFewOctetsAreSeenOnTheCurve() {
    TrafficStatus steep = Records.with(HEALTHY, "byResults", curve(0.2, 0.4, 0.9, 0.9, 0.9));
    TrafficStatus small = Records.with(steep, "cache", Records.with(CACHE, "maxBytes", 60_000L));
    List<Advice> all = Advisor.advise(small).advice();
    assertThat(all).hasSize(1);
    assertThat(all.get(0).change()).contains("  maxBytes: 1MiB");
    assertThat(all.get(0).evidence()).contains("the hit ratio is 40.0%");
  }

  @Test
  void cachesThatDoNotFitNeedALargerHeap() {
    TrafficStatus steep = Records.with(HEALTHY, "byResults", curve(0.2, 0.4, 0.9, 0.9, 0.9));
    TrafficStatus small = Records.with(steep, "cache", Records.with(CACHE, "maxBytes", 60_000L));
    Advice advice = Advisor.advise(Records.with(small, "maxHeap", 200_000L)).advice().get(0);
    assertThat(advice.change()).hasSize(1).last().asString().contains("STOA_MEMORY", "1 MiB");
  }

  @Test
  void cachesThatDoNotEvictAreLargeEnough() {
    TrafficStatus steep = Records.with(HEALTHY, "byResults", curve(0.2, 0.4, 0.6, 0.9, 0.905));
    assertThat(
            Advisor.advise(Records.with(steep, "cache", Records.with(CACHE, "evictions", 0L)))
                .advice())
        .isEmpty();
  }

  @Test
  void aSmallSampleGetsNoAdvice() {
    CurveStatus few = Records.with(curve(0.2, 0.4, 0.6, 0.9, 0.905), "sampled", 1999L);
    assertThat(advise("byResults", Records.with(few, "expired", 0.5))).isEmpty();
  }

  @Test
  void repeatedLargeAnswersGetALargerLimit() {
    Advice advice =
        only(
            "largeAnswers",
            List.of(
                new Sizes(128, 50, 40, 100_000),
                new Sizes(512, 60, 55, 2_000_000),
                new Sizes(65_536, 10, 1, 90_000_000)));
    assertThat(advice.topic()).isEqualTo(Topic.BYPASS_LIMIT);
    assertThat(advice.evidence()).contains("96 of 120", "99.0%", "at most 512 entries");
    assertThat(advice.change())
        .containsExactly("cache:", "  bypassLimit: 512", "  maxResultBytes: 2000000");
  }

  @Test
  void answersThatWouldFillTheCachesGetNoAdvice() {
    assertThat(advise("largeAnswers", List.of(new Sizes(4096, 500, 490, 1_000_000)))).isEmpty();
    assertThat(advise("largeAnswers", List.of(new Sizes(512, 500, 490, 5_000_000)))).isEmpty();
  }

  @Test
  void largeAnswersThatDoNotRepeatGetNoAdvice() {
    assertThat(advise("largeAnswers", List.of(new Sizes(128, 5000, 900, 100_000)))).isEmpty();
  }

  @Test
  void expiredResultsGetAFeed() {
    Advice advice = only("byResults", Records.with(FLAT, "expired", 0.31));
    assertThat(advice.topic()).isEqualTo(Topic.FEED);
    assertThat(advice.subject()).isEqualTo("dc=example,dc=com");
    assertThat(advice.evidence()).contains("31.0%", "cache.maxAge (5.0 s)", "2.0 s old");
    assertThat(advice.change()).contains("reason now: feed.bindDn is not set");
  }

  @Test
  void clientsThatConnectForEachSearchAreNamed() {
    Advice advice =
        only("connections", new ShortConnections.Status(500, 400, List.of(sender(400))));
    assertThat(advice.topic()).isEqualTo(Topic.CONNECTIONS);
    assertThat(advice.evidence()).contains("400 connections of 192.0.2.9", "500");
  }

  @Test
  void localSocketsNeedNoPool() {
    Sender local = new Sender(Octets.EMPTY, 400, 0);
    assertThat(advise("connections", new ShortConnections.Status(500, 400, List.of(local))))
        .isEmpty();
  }

  @Test
  void networksWithFailedBindsAreNamed() {
    OfNetwork network =
        new OfNetwork("192.0.2.9", Map.of(LdapResultCode.of(49), 100L), BEGIN, BEGIN);
    Advice advice = only("failedBinds", List.of(network));
    assertThat(advice.topic()).isEqualTo(Topic.FAILED_BINDS);
    assertThat(advice.evidence()).contains("100 binds of 192.0.2.9");
  }

  @Test
  void searchesThatFailAreNamed() {
    Advice advice = only(FAST, "mistaken", 1900L);
    assertThat(advice.topic()).isEqualTo(Topic.FAILED_SEARCHES);
    assertThat(advice.evidence()).contains("1900 of 2000", "192.0.2.9", "cn=app,dc=example,dc=com");
  }

  @Test
  void searchesThatFindNothingAreNamed() {
    Advice advice = only(FAST, "empty", 1900L);
    assertThat(advice.topic()).isEqualTo(Topic.EMPTY_SEARCHES);
    assertThat(advice.evidence()).contains("1900 of 2000", "50 different values");
  }

  @Test
  void oneSearchOfOneClientIsAPoll() {
    Advice advice = only(FAST, "values", 1L);
    assertThat(advice.topic()).isEqualTo(Topic.POLLING);
    assertThat(advice.evidence()).contains("2000 times, once in 1.8 s");
  }

  @Test
  void oneSearchOfManyClientsIsNoPoll() {
    DigestStatus one = Records.with(FAST, "values", 1L);
    assertThat(
            advise("digests", List.of(FAST, Records.with(one, "networks", List.of(sender(900))))))
        .isEmpty();
  }

  @Test
  void searchesForAllAttributesAreNamed() {
    DigestStatus all = digest("(uid=?)", "*", Duration.ofNanos(200_000));
    Advice advice = only(all, "octets", 8_000_000L);
    assertThat(advice.topic()).isEqualTo(Topic.ATTRIBUTES);
    assertThat(advice.evidence()).contains("8 MiB", "4000.0 octets for each entry");
  }

  @Test
  void searchesThatDereferenceAliasesAreNamed() {
    SearchPattern always = new SearchPattern("dc=example,dc=com", 2, "(uid=?)", "cn", 3);
    Advice advice = only(FAST, "pattern", always);
    assertThat(advice.topic()).isEqualTo(Topic.ALIASES);
    assertThat(advice.evidence()).contains("(always)");
  }

  private static Comparisons comparisons(
      String base, String filter, String attributes, long equal, long different) {
    return new Comparisons(
        "ou=services,dc=example,dc=com",
        new SearchPattern(base, 2, filter, attributes, 0),
        List.of("cn=a,ou=services,dc=example,dc=com", "cn=b,ou=services,dc=example,dc=com"),
        equal,
        different);
  }

  @Test
  void identitiesWithEqualAnswersGetAClass() {
    Advice advice =
        only(
            "comparisons",
            List.of(
                comparisons("ou=people,dc=example,dc=com", "(uid=?)", "cn mail", 40, 0),
                comparisons(
                    "uid=?,ou=people,dc=example,dc=com", "(objectclass=*)", "sn;lang-de", 10, 0),
                comparisons("dc=example,dc=com", "(uid=?)", "description", 3, 5),
                comparisons("dc=example,dc=com", "(uid=?)", "*", 100, 0)));
    assertThat(advice.topic()).isEqualTo(Topic.SHARING);
    assertThat(advice.subject()).isEqualTo("ou=services,dc=example,dc=com");
    assertThat(advice.evidence()).contains("all 50 compared answers to 2 identities");
    assertThat(advice.change())
        .containsExactly(
            "cache:",
            "  classes:",
            "    - name: services",
            "      members: ['cn=a,ou=services,dc=example,dc=com', "
                + "'cn=b,ou=services,dc=example,dc=com']",
            "      base: 'ou=people,dc=example,dc=com'",
            "      include: ['cn', 'mail', 'objectclass', 'sn', 'uid']");
  }

  @Test
  void aDifferenceWithinTheClassSpeaksAgainstIt() {
    assertThat(
            advise(
                "comparisons",
                List.of(
                    comparisons("dc=example,dc=com", "(uid=?)", "cn mail", 400, 0),
                    comparisons("dc=example,dc=com", "(mail=?)", "cn uid", 10, 1))))
        .isEmpty();
  }

  @Test
  void unusualNamesAreLeftOut() {
    assertThat(
            advise(
                "comparisons",
                List.of(
                    comparisons("", "(objectclass=*)", "supportedcontrol", 90, 0),
                    comparisons("ou=a\\5c,b,dc=x", "(uid=?)", "cn", 90, 0),
                    comparisons("ou='a',dc=x", "(uid=?)", "cn", 90, 0),
                    comparisons("dc=x", "(uid=?)", "cn foo\\20bar", 90, 0))))
        .isEmpty();
  }

  @Test
  void manyIdentitiesAreAPattern() {
    Comparisons many =
        Records.with(
            comparisons("dc=example,dc=com", "(uid=?)", "cn", 50, 0),
            "identities",
            IntStream.range(0, 9)
                .mapToObj(at -> "cn=" + at + ",ou=services,dc=example,dc=com")
                .toList());
    assertThat(only("comparisons", List.of(many)).change())
        .contains("      members: ['*,ou=services,dc=example,dc=com']");
  }
}

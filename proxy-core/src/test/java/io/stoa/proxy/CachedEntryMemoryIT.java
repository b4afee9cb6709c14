// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.promise.coherence.SlapdWithFeed;
import io.stoa.testing.Memory;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Bounds the live heap of a cached search of one person: the key, the result and the entry, and
 * before a feed the view.
 *
 * <p>A bound is the number beside it, the largest of three runs, and 10 %. The numbers are about
 * 100 higher than those of the performance page, since they include the octets of the entry. The
 * directory is another process with all people from the start, so only the caches grow. The first
 * searches fill tables and are not counted. The lower of two numbers counts, since other threads of
 * the process keep objects too.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CachedEntryMemoryIT {
  private static final int UNCOUNTED = 1_000;
  private static final int COUNTED = 10_000;
  private static final int PEOPLE = UNCOUNTED + 2 * COUNTED;
  private static final int TOGETHER = 50;
  private static final Duration MAX_AGE = Duration.ofHours(1);
  private static final String[] THREE_ATTRIBUTES = {"uid", "cn", "mail"};
  private static final String[] ALL_ATTRIBUTES = {};

  /** Measured octets of a search of three attributes: 394, so the bound is 433. */
  private static final long OF_THREE_ATTRIBUTES = 394;

  /** Measured octets of a search of all attributes: 450, so the bound is 495. */
  private static final long OF_ALL_ATTRIBUTES = 450;

  /** Measured octets of a search of three attributes before a feed: 1,283; the bound is 1,411. */
  private static final long BEFORE_A_FEED = 1_283;

  private SlapdWithFeed directory;

  @BeforeAll
  void start() {
    directory = SlapdWithFeed.start(PEOPLE, MAX_AGE);
    directory.awaitLive();
  }

  @AfterAll
  void stop() {
    directory.close();
  }

  @Test
  void aSearchOfThreeAttributesTakesFewOctets() {
    assertOctets(OF_THREE_ATTRIBUTES, THREE_ATTRIBUTES);
  }

  @Test
  void aSearchOfAllAttributesTakesFewOctets() {
    assertOctets(OF_ALL_ATTRIBUTES, ALL_ATTRIBUTES);
  }

  @Test
  void aSearchBeforeAFeedTakesFewOctets() {
    assertOctets(directory.proxy(), BEFORE_A_FEED, THREE_ATTRIBUTES);
    assertThat(directory.report().domain().views()).isGreaterThan(PEOPLE * 9 / 10);
  }

  private void assertOctets(long measured, String... attributes) {
    try (RunningProxy proxy = ProxySetup.before(directory.slapd().port()).maxAge(MAX_AGE).start()) {
      assertOctets(proxy, measured, attributes);
    }
  }

  private static void assertOctets(RunningProxy proxy, long measured, String... attributes) {
    try (RawLdapClient client = proxy.client()) {
      search(client, 0, UNCOUNTED, attributes);
      long first = octetsOfOne(client, UNCOUNTED, attributes);
      long second = octetsOfOne(client, UNCOUNTED + COUNTED, attributes);
      assertThat(proxy.cache().entryCurrent()).isEqualTo(PEOPLE);
      assertThat(Math.min(first, second)).isBetween(measured / 2, measured * 11 / 10);
    }
  }

  private static long octetsOfOne(RawLdapClient client, int from, String... attributes) {
    long before = Memory.liveOctets();
    search(client, from, COUNTED, attributes);
    return (Memory.liveOctets() - before) / COUNTED;
  }

  private static void search(RawLdapClient client, int from, int count, String... attributes) {
    for (int number = from; number < from + count; number += TOGETHER) {
      RawRequest[] requests =
          IntStream.range(number, number + TOGETHER)
              .mapToObj(person -> request(person, attributes))
              .toArray(RawRequest[]::new);
      int first = client.sendTogether(requests);
      IntStream.range(first, first + TOGETHER).forEach(client::await);
    }
  }

  private static RawRequest request(int number, String... attributes) {
    return Requests.search(People.PEOPLE)
        .filter("(uid=user." + number + ")")
        .attributes(attributes)
        .request();
  }
}

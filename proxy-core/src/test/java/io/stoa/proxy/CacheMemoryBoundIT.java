// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.promise.coherence.SlapdWithFeed;
import io.stoa.promise.coherence.SlapdWithFeedSetup;
import io.stoa.testing.InMemoryDirectory;
import io.stoa.testing.Memory;
import io.stoa.testing.People;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** The caches keep no more memory than their bound, whatever requests clients send. */
class CacheMemoryBoundIT {
  private static final int PEOPLE = 10;
  private static final int NAMES = 5_000;
  private static final int SEARCHES = 300;
  private static final int LARGE = 1_200;
  private static final int LARGE_OCTETS = 48_000;
  private static final int USES = 4;
  private static final long MAX_BYTES = 4_000_000;

  /** Memory besides the bound, for buffers and for estimates that are too low: 24 MB. */
  private static final long ROOM = 24_000_000;

  /** A parsed list of this size takes about half a megabyte, and each request has its own. */
  @Test
  void largeAttributeListsAreNotKeptAfterTheirResults() {
    try (InMemoryDirectory directory = InMemoryDirectory.start(PEOPLE);
        RunningProxy proxy =
            ProxySetup.before(directory.port())
                .maxAge(Duration.ofHours(1))
                .cache("maxBytes", MAX_BYTES)
                .start();
        RawLdapClient client = proxy.client()) {
      client.await(client.send(request(SEARCHES)));
      long before = Memory.heapInUse();
      for (int number = 0; number < SEARCHES; number++) {
        client.await(client.send(request(number)));
      }
      assertThat(proxy.cache().bytes()).isLessThanOrEqualTo(MAX_BYTES);
      assertThat(Memory.heapInUse() - before).isLessThan(MAX_BYTES + ROOM);
    }
  }

  /**
   * Both searches of an entry have the same form, so their results share its reads. The small
   * result is used more, and stays when the large one is evicted.
   */
  @Test
  void largeEntriesAreNotKeptBySmallResults() {
    SlapdWithFeedSetup setup = SlapdWithFeedSetup.of(PEOPLE, Duration.ofHours(1));
    for (int number = 0; number < LARGE; number++) {
      setup.entry(
          large(number),
          "objectClass: inetOrgPerson",
          "cn: large" + number,
          "sn: large",
          "street: " + "x".repeat(LARGE_OCTETS));
    }
    try (SlapdWithFeed directory = setup.start()) {
      assertBounded(directory.slapd().port(), true);
      assertBounded(directory.slapd().port(), false);
    }
  }

  private static void assertBounded(int port, boolean smallFirst) {
    try (RunningProxy proxy =
            ProxySetup.before(port)
                .maxAge(Duration.ofHours(1))
                .cache("maxBytes", MAX_BYTES)
                .start();
        RawLdapClient client = proxy.client()) {
      long before = Memory.heapInUse();
      for (int number = 0; number < LARGE && smallFirst; number++) {
        useOften(client, number);
      }
      for (int number = 0; number < LARGE; number++) {
        client.await(client.send(search(number)));
        useOften(client, number);
        useOften(client, number * 7 % LARGE);
      }
      assertThat(proxy.cache().filterHits()).isGreaterThan(LARGE);
      assertThat(proxy.cache().bytes()).isLessThanOrEqualTo(MAX_BYTES);
      assertThat(Memory.heapInUse() - before).isLessThan(MAX_BYTES + ROOM);
    }
  }

  private static void useOften(RawLdapClient client, int number) {
    for (int use = 0; use < USES; use++) {
      client.await(client.send(search(number, "cn")));
    }
  }

  private static RawRequest search(int number, String... attributes) {
    return Requests.search(People.SUFFIX)
        .filter("(cn=large" + number + ")")
        .attributes(attributes)
        .request();
  }

  private static String large(int number) {
    return "cn=large" + number + "," + People.SUFFIX;
  }

  private static RawRequest request(int number) {
    String[] names = new String[NAMES];
    Arrays.fill(names, "c");
    names[number] = "x" + number;
    return Requests.search(InMemoryDirectory.person(number % PEOPLE))
        .baseScope()
        .attributes(names)
        .request();
  }
}

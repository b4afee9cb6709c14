// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.testing.InMemoryDirectory;
import io.stoa.testing.Memory;
import io.stoa.testing.ProxySetup;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.RawRequest;
import io.stoa.testing.Requests;
import io.stoa.testing.RunningProxy;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Bounds the live heap of a cached read of one person: the key, the result and the entry.
 *
 * <p>The bound is the measured number and 10 %. The directory has all people from the start, so
 * only the caches grow. The first searches fill tables and are not counted. The lower of two
 * numbers counts, since other threads of the process allocate too.
 */
class CachedEntryMemoryIT {
  private static final int UNCOUNTED = 1_000;
  private static final int COUNTED = 10_000;
  private static final int PEOPLE = UNCOUNTED + 2 * COUNTED;
  private static final int TOGETHER = 50;

  /** Maximum octets of a cached person with three attributes: 545 measured, and 10 %. */
  private static final long MAX_OCTETS = 600;

  @Test
  void aCachedPersonTakesFewOctets() {
    try (InMemoryDirectory directory = InMemoryDirectory.start(PEOPLE);
        RunningProxy proxy =
            ProxySetup.before(directory.port()).maxAge(Duration.ofHours(1)).start();
        RawLdapClient client = proxy.client()) {
      search(client, 0, UNCOUNTED);
      long octets =
          Math.min(octetsOfOne(client, UNCOUNTED), octetsOfOne(client, UNCOUNTED + COUNTED));
      assertThat(proxy.cache().entryCurrent()).isEqualTo(PEOPLE);
      assertThat(octets).isBetween(MAX_OCTETS / 4, MAX_OCTETS);
    }
  }

  private static long octetsOfOne(RawLdapClient client, int from) {
    long before = Memory.heapInUse();
    search(client, from, COUNTED);
    return (Memory.heapInUse() - before) / COUNTED;
  }

  private static void search(RawLdapClient client, int from, int count) {
    for (int number = from; number < from + count; number += TOGETHER) {
      RawRequest[] requests =
          IntStream.range(number, number + TOGETHER)
              .mapToObj(CachedEntryMemoryIT::request)
              .toArray(RawRequest[]::new);
      int first = client.sendTogether(requests);
      IntStream.range(first, first + TOGETHER).forEach(client::await);
    }
  }

  private static RawRequest request(int number) {
    return Requests.search(InMemoryDirectory.person(number))
        .baseScope()
        .attributes("uid", "cn", "mail")
        .request();
  }
}

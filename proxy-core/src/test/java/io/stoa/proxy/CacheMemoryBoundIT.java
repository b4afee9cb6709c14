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
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** The caches keep no more memory than their bound, whatever requests clients send. */
class CacheMemoryBoundIT {
  private static final int PEOPLE = 10;
  private static final int NAMES = 5_000;
  private static final int SEARCHES = 300;
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

// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.paging;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.sdk.controls.SimplePagedResultsControl;
import io.stoa.testing.ManualLoop;
import io.stoa.testing.Requests;
import io.stoa.testing.TestSession;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Searches whose whole result is not worth reading: how long, and how many. */
class OversizedSearchesTest {
  private static final int MOST = 4096;
  private static final long NANOS = TimeUnit.MINUTES.toNanos(10);
  private static final long NOW = Long.MAX_VALUE - NANOS / 2; // the time may overflow

  private final TestSession client = new TestSession(new ManualLoop()).named("cn=anna,dc=x");
  private final OversizedSearches searches = new OversizedSearches();

  private PagedRequest search(int number) {
    return PagedRequest.of(
        client.operation(
            Requests.search("ou=" + number + ",dc=x")
                .request()
                .with(new SimplePagedResultsControl(1))));
  }

  private boolean contains(int number, long now) {
    return searches.contains(client, search(number), now);
  }

  @Test
  void anOversizedSearchIsKnownForTenMinutes() {
    searches.add(client, search(1), NOW);
    assertThat(contains(1, NOW + NANOS - 1)).isTrue();
    assertThat(contains(1, NOW + NANOS)).isFalse();
  }

  @Test
  void anotherSearchOrIdentityIsNotOversized() {
    searches.add(client, search(1), NOW);
    assertThat(contains(2, NOW)).isFalse();
    client.named("cn=bert,dc=x");
    assertThat(contains(1, NOW)).isFalse();
  }

  @Test
  void theSearchAboveTheMaximumEndsTheOneAddedLongestAgo() {
    for (int i = 0; i < MOST; i++) {
      searches.add(client, search(i), NOW);
    }
    searches.add(client, search(0), NOW);
    searches.add(client, search(MOST), NOW);
    assertThat(contains(0, NOW)).isTrue();
    assertThat(contains(1, NOW)).isFalse();
    assertThat(contains(MOST, NOW)).isTrue();
  }
}

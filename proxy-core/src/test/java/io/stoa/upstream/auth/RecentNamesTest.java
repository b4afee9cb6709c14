// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.protocol.Octets;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RecentNamesTest {
  private static final int MOST = 1000;

  private final RecentNames doubts = new RecentNames(1000, Duration.ofSeconds(30));

  private static Octets name(int number) {
    return Octets.of(("uid=" + number).getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void holdForAWhile() {
    long since = Long.MAX_VALUE - 5;
    doubts.add(name(1), since);
    assertThat(doubts.holds(name(1), since + TimeUnit.SECONDS.toNanos(29))).isTrue();
    assertThat(doubts.holds(name(1), since + TimeUnit.SECONDS.toNanos(31))).isFalse();
    assertThat(doubts.holds(name(2), since)).isFalse();
  }

  @Test
  void theOldestOnesAreForgotten() {
    for (int i = 0; i < MOST; i++) {
      doubts.add(name(i), i);
    }
    doubts.add(name(0), MOST);
    doubts.add(name(MOST), MOST);
    assertThat(doubts.holds(name(0), MOST)).isTrue();
    assertThat(doubts.holds(name(1), MOST)).isFalse();
    assertThat(doubts.holds(name(2), MOST)).isTrue();
  }
}

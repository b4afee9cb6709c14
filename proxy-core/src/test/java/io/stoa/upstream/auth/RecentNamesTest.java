// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.protocol.Octets;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RecentNamesTest {
  private static final int MAX = 1000;

  private final RecentNames names = new RecentNames(1000, Duration.ofSeconds(30));

  private static Octets name(int number) {
    return Octets.of(("uid=" + number).getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void aNameIsHeldForThirtySeconds() {
    long since = Long.MAX_VALUE - 5;
    names.add(name(1), since);
    assertThat(names.holds(name(1), since + TimeUnit.SECONDS.toNanos(29))).isTrue();
    assertThat(names.holds(name(1), since + TimeUnit.SECONDS.toNanos(31))).isFalse();
    assertThat(names.holds(name(2), since)).isFalse();
  }

  @Test
  void theOldestNameIsEvicted() {
    for (int i = 0; i < MAX; i++) {
      names.add(name(i), i);
    }
    names.add(name(0), MAX);
    names.add(name(MAX), MAX);
    assertThat(names.holds(name(0), MAX)).isTrue();
    assertThat(names.holds(name(1), MAX)).isFalse();
    assertThat(names.holds(name(2), MAX)).isTrue();
  }
}

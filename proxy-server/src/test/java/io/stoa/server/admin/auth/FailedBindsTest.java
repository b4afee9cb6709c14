// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin.auth;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.ldap.protocol.Octets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class FailedBindsTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final Octets HERE = network(1);

  private final FailedBinds binds = new FailedBinds();

  private static Octets network(int number) {
    return Octets.of(new byte[] {10, (byte) (number >> 16), (byte) (number >> 8), (byte) number});
  }

  private void fail(Octets network, long now) {
    assertThat(binds.begin(network, now)).isTrue();
    binds.onFailed(network, now);
  }

  @Test
  void pausesGrowAfterThreeFailures() {
    for (int failure = 0; failure < 3; failure++) {
      fail(HERE, 0);
    }
    assertThat(binds.begin(HERE, SECOND - 1)).isFalse();
    fail(HERE, SECOND);
    assertThat(binds.begin(HERE, 3 * SECOND - 1)).isFalse();
    fail(HERE, 3 * SECOND);
    assertThat(binds.begin(HERE, 7 * SECOND - 1)).isFalse();
    assertThat(binds.begin(network(2), SECOND)).as("another network").isTrue();
  }

  @Test
  void pausesAreAtMostAboutAMinute() {
    long now = 0;
    for (int failure = 0; failure < 40; failure++) {
      fail(HERE, now);
      now += 64 * SECOND;
    }
  }

  @Test
  void theRightPasswordEndsThePauses() {
    fail(HERE, 0);
    fail(HERE, 0);
    assertThat(binds.begin(HERE, 0)).isTrue();
    binds.onSucceeded(HERE);
    fail(HERE, 0);
    fail(HERE, 0);
    assertThat(binds.begin(HERE, 0)).isTrue();
  }

  @Test
  void concurrentAttemptsOfANetworkAreLimited() {
    for (int attempt = 0; attempt < FailedBinds.MAX_CONCURRENT; attempt++) {
      assertThat(binds.begin(HERE, 0)).isTrue();
    }
    assertThat(binds.begin(HERE, 0)).isFalse();
    binds.onDropped(HERE);
    assertThat(binds.begin(HERE, 0)).isTrue();
  }

  @Test
  void allNetworksAreThrottledExceptProvedOnes() {
    assertThat(binds.begin(HERE, 0)).isTrue();
    binds.onSucceeded(HERE);
    for (int number = 2; number < 2 + FailedBinds.MAX_TOTAL_FAILURES; number++) {
      fail(network(number), 0);
    }
    assertThat(binds.begin(network(1_000), 0)).isFalse();
    assertThat(binds.begin(HERE, 0)).isTrue();
    assertThat(binds.begin(network(1_000), SECOND)).isTrue();
  }

  @Test
  void rememberedNetworksAreLimited() {
    for (int number = 0; number < 2 * FailedBinds.MAX_NETWORKS; number++) {
      binds.begin(network(number), 0);
      binds.onDropped(network(number));
    }
    assertThat(binds.size()).isEqualTo(FailedBinds.MAX_NETWORKS);
  }

  @Test
  void refusedNetworksEvictNoRecord() {
    for (int number = 0; number < FailedBinds.MAX_TOTAL_FAILURES; number++) {
      fail(network(number), 0);
    }
    for (int number = 1; number <= 2 * FailedBinds.MAX_NETWORKS; number++) {
      assertThat(binds.begin(network(1_000 + number), 0)).isFalse();
    }
    assertThat(binds.size()).isEqualTo(FailedBinds.MAX_TOTAL_FAILURES);
  }

  @Test
  void aNetworkThatFailsRepeatedlyIsNoLongerExempt() {
    assertThat(binds.begin(HERE, 0)).isTrue();
    binds.onSucceeded(HERE);
    for (int failure = 0; failure < 3; failure++) {
      fail(HERE, 0);
    }
    for (int number = 2; number < FailedBinds.MAX_TOTAL_FAILURES - 1; number++) {
      fail(network(number), 0);
    }
    fail(network(1_000), SECOND); // the one failure that a second permits
    assertThat(binds.begin(HERE, SECOND)).as("no pause, and the burst is used up").isFalse();
  }
}

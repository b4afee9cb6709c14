// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The limit that follows from connections that the server ends, by a clock that the test moves. */
class ConnectionLimitTest {
  private static final long TRIP = TimeUnit.MILLISECONDS.toNanos(2);

  private final ConnectionLimit limit = new ConnectionLimit(ServerAddress.parse("ldap://x:389"));
  private long now = TimeUnit.DAYS.toNanos(1);

  ConnectionLimitTest() {
    limit.onProbeOpened(now);
  }

  /** A connection is made, and ended by the server with so many unanswered operations. */
  private boolean ended(int unanswered) {
    now += TRIP;
    long made = now;
    now += TRIP;
    return limit.onEnded(unanswered, made, now);
  }

  private void passes(long nanos) {
    now += nanos + 1;
    limit.expire(now);
  }

  @Test
  void oneClosedConnectionLimitsForAWhile() {
    assertThat(ended(40)).isTrue();
    assertThat(limit.max()).isEqualTo(20);
    assertThat(limit.isKnown()).isFalse();
    passes(ConnectionLimit.SUSPECT_NANOS);
    assertThat(limit.max()).isEqualTo(ConnectionLimit.NONE);
  }

  @Test
  void aSecondClosedConnectionProvesTheLimit() {
    ended(40);
    ended(20);
    assertThat(limit.max()).isEqualTo(10);
    assertThat(limit.status()).isEqualTo(10);
    passes(ConnectionLimit.SUSPECT_NANOS);
    assertThat(limit.max()).isEqualTo(10);
    passes(ConnectionLimit.LIFE_NANOS);
    assertThat(limit.max()).isEqualTo(ConnectionLimit.NONE);
  }

  @Test
  void aLaterClosedConnectionProvesTheLimitToo() {
    ended(20);
    passes(ConnectionLimit.SUSPECT_NANOS);
    ended(40);
    assertThat(limit.max()).isEqualTo(10);
    assertThat(limit.isKnown()).isTrue();
  }

  @Test
  void closedConnectionsFarApartProveNothing() {
    ended(20);
    passes(ConnectionLimit.EVIDENCE_NANOS);
    ended(40);
    assertThat(limit.isKnown()).isFalse();
  }

  @Test
  void connectionsThatEndAtTheSameTimeAreOneEvent() {
    long made = now;
    assertThat(limit.onEnded(40, made, now + TRIP)).isTrue();
    assertThat(limit.onEnded(18, made, now + TRIP + 1)).isFalse();
    assertThat(limit.max()).isEqualTo(20);
    assertThat(limit.isKnown()).isFalse();
  }

  @Test
  void aConnectionAboveTheLimitProvesNothing() {
    ended(40);
    assertThat(ended(30)).isFalse();
    assertThat(limit.isKnown()).isFalse();
  }

  @Test
  void aRestartProvesNoLimit() {
    for (int i = 0; i < 5; i++) {
      ended(10);
      limit.onProbeClosed();
      now += TRIP;
      limit.onProbeOpened(now);
    }
    assertThat(limit.isKnown()).isFalse();
  }

  @Test
  void nothingIsProvedWithoutAProbeConnection() {
    limit.onProbeClosed();
    ended(40);
    ended(20);
    assertThat(limit.isKnown()).isFalse();
    limit.onProbeOpened(now);
    ended(10);
    assertThat(limit.isKnown()).isFalse();
    ended(5);
    assertThat(limit.max()).isEqualTo(2);
    assertThat(limit.isKnown()).isTrue();
  }

  @Test
  void aSingleOperationThatClosesProvesNoLimit() {
    ended(8);
    ended(4);
    ended(2);
    assertThat(limit.max()).isOne();
    assertThat(ended(1)).isFalse();
    assertThat(limit.isKnown()).isFalse();
    assertThat(limit.max()).isEqualTo(ConnectionLimit.NONE);
  }

  @Test
  void anIdleConnectionThatEndsProvesNothing() {
    ended(40);
    ended(20);
    assertThat(ended(0)).isFalse();
    assertThat(limit.max()).isEqualTo(10);
  }

  @Test
  void aServerThatGoesDownForgetsItsLimit() {
    ended(40);
    ended(20);
    limit.forget();
    assertThat(limit.max()).isEqualTo(ConnectionLimit.NONE);
    assertThat(limit.status()).isZero();
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.net.transport;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BackoffTest {
  @Test
  void doublesUpToABoundAndVaries() {
    Backoff backoff = new Backoff(10_000);
    long bound = 100;
    for (int i = 0; i < 20; i++) {
      assertThat(backoff.next()).isBetween(bound / 2, bound);
      bound = Math.min(10_000, bound * 2);
    }
  }

  @Test
  void resetsAfterASuccess() {
    Backoff backoff = new Backoff(10_000);
    for (int i = 0; i < 10; i++) {
      backoff.next();
    }
    backoff.reset();
    assertThat(backoff.next()).isLessThanOrEqualTo(100);
  }
}

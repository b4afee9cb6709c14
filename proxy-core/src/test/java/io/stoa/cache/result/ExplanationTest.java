// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.result;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** For how long a stored answer is given that a feed says is right. */
class ExplanationTest {
  private static Explanation heldByFeed(long boundNanos) {
    Explanation explanation = new Explanation();
    explanation.onHeldByFeed(boundNanos);
    return explanation.finish(true, true);
  }

  @Test
  void aResultWithoutABoundIsServedUntilItChanges() {
    Explanation explanation = heldByFeed(Long.MAX_VALUE);
    assertThat(explanation.isHeldByFeed()).isTrue();
    assertThat(explanation.remainingMillis()).isEmpty();
  }

  @Test
  void aResultIsServedUntilItsRightsExpire() {
    assertThat(heldByFeed(TimeUnit.SECONDS.toNanos(5)).remainingMillis()).hasValue(5000);
  }
}

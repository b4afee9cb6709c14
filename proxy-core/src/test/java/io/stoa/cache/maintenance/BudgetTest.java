// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class BudgetTest {
  private final AtomicLong clock = new AtomicLong();
  private final AtomicInteger perSecond = new AtomicInteger(4);
  private final Budget budget = new Budget(3, perSecond::get, clock::get);

  private void pass(long millis) {
    clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
  }

  private int taken() {
    int taken = 0;
    while (budget.take()) {
      taken++;
    }
    return taken;
  }

  @Test
  void requestsInFlightAreLimited() {
    assertThat(taken()).isEqualTo(3);
    pass(10_000);
    assertThat(taken()).isZero();
    budget.release();
    assertThat(taken()).isEqualTo(1);
  }

  @Test
  void requestsPerSecondAreLimited() {
    assertThat(taken()).isEqualTo(3);
    budget.release();
    budget.release();
    assertThat(taken()).isEqualTo(1);
    pass(249);
    assertThat(taken()).isZero();
    pass(2);
    assertThat(taken()).isEqualTo(1);
  }

  @Test
  void anUnusedPermitIsReturned() {
    taken();
    budget.giveBack();
    budget.giveBack();
    assertThat(taken()).isEqualTo(2);
  }

  @Test
  void aRateOfZeroAllowsNothing() {
    perSecond.set(0);
    pass(10_000);
    assertThat(taken()).isZero();
  }
}

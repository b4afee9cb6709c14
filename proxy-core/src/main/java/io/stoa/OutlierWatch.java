// SPDX-License-Identifier: Apache-2.0
package io.stoa;

import io.netty.channel.EventLoop;
import io.stoa.backend.Outliers;
import io.stoa.codec.GuardedTask;
import io.stoa.tier.Branch;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Compares the servers of each tier with each other, now and then. Stateless. */
final class OutlierWatch {
  private static final long LOOK_SECONDS = 1;

  private OutlierWatch() {}

  /**
   * Begins to.
   *
   * @param ejection how long one that differs is not used at first; 0 for never
   */
  static void start(Branch branch, Duration ejection, EventLoop loop) {
    List<Outliers> tiers =
        branch.tiers().stream()
            .map(
                tier ->
                    new Outliers(tier.backends(), branch.backends(), ejection, System::nanoTime))
            .toList();
    loop.scheduleAtFixedRate(
        new GuardedTask(() -> tiers.forEach(Outliers::look)),
        LOOK_SECONDS,
        LOOK_SECONDS,
        TimeUnit.SECONDS);
  }
}

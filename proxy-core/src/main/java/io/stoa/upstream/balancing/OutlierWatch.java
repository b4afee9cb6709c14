// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.balancing;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.net.transport.GuardedTask;
import io.stoa.upstream.server.BackendState;
import io.stoa.upstream.server.Outliers;
import io.stoa.upstream.server.Outliers.Ejections;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Runs outlier detection for each tier, once a second.
 *
 * <p>Threading: event loop.
 */
public final class OutlierWatch {
  private static final long LOOK_SECONDS = 1;

  private final ServerGroup group;
  private final Supplier<Duration> ejection;
  private final Ejections ejections = new Ejections();
  private List<Tier> tiers = List.of();
  private List<Outliers> outliers = List.of();

  private OutlierWatch(ServerGroup group, Supplier<Duration> ejection) {
    this.group = group;
    this.ejection = ejection;
  }

  /**
   * Starts the detection.
   *
   * @param ejection duration of the first ejection; 0 for never
   */
  public static void start(ServerGroup group, Supplier<Duration> ejection, EventExecutor loop) {
    OutlierWatch watch = new OutlierWatch(group, ejection);
    loop.scheduleAtFixedRate(
        new GuardedTask("outlier detection", watch::check),
        LOOK_SECONDS,
        LOOK_SECONDS,
        TimeUnit.SECONDS);
    group.onAdded(backend -> backend.health().onState(state -> watch.onState(state, loop)));
  }

  /** Called on any thread when a server's state has changed: it may have been the last one up. */
  private void onState(BackendState state, EventExecutor loop) {
    if (state != BackendState.UP && !loop.isShuttingDown()) {
      loop.execute(() -> outliers.forEach(Outliers::readmitIfNoneUp));
    }
  }

  /**
   * Checks the tiers. If their servers have changed, the comparison starts anew; ejections stay.
   */
  private void check() {
    List<Tier> present = group.tiers();
    if (!present.equals(tiers)) {
      tiers = present;
      outliers = present.stream().map(this::compared).toList();
    }
    outliers.forEach(Outliers::check);
  }

  private Outliers compared(Tier tier) {
    return new Outliers(tier.backends(), group.backends(), ejection, System::nanoTime, ejections);
  }
}

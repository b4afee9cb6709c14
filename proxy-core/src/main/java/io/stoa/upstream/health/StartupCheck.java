// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.health;

import io.stoa.net.transport.DescribedException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Checks at the start in proxied-authorization mode that all reachable servers support the control,
 * before any client is accepted.
 *
 * <p>Threading: thread-safe; no state.
 */
public final class StartupCheck {
  /** Number of steps with a time-out of their own: connecting, the root DSE and the bind. */
  private static final int STEPS = 3;

  private StartupCheck() {}

  /**
   * Waits until each server has responded or cannot be reached.
   *
   * @throws IOException if a reachable server is unusable
   */
  public static void await(List<HealthProbe> probes, Duration connectTimeout) throws IOException {
    long deadline = System.nanoTime() + connectTimeout.multipliedBy(STEPS).toNanos();
    for (HealthProbe probe : probes) {
      String refusal = verdict(probe, deadline - System.nanoTime());
      if (!refusal.isEmpty()) {
        throw new DescribedException("upstream " + probe.address() + ": " + refusal);
      }
    }
  }

  private static String verdict(HealthProbe probe, long maxNanos) throws IOException {
    try {
      return probe.refusal().get(Math.max(0, maxNanos), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return ""; // not reachable so far
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new DescribedException(
          "interrupted during the start-up check of the directory servers", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }
}

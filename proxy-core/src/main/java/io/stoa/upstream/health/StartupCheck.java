// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.health;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The start in proxied-authorization mode: all servers that can be reached are asked whether they
 * honour the control, before any client is accepted. Stateless.
 */
public final class StartupCheck {
  /** Connecting, the root DSE and the bind each have their own deadline. */
  private static final int STEPS = 3;

  private StartupCheck() {}

  /**
   * Waits until each server has answered, or cannot be reached.
   *
   * @throws IOException if one can be reached and cannot be used
   */
  public static void await(List<HealthProbe> probes, Duration connectTimeout) throws IOException {
    long deadline = System.nanoTime() + connectTimeout.multipliedBy(STEPS).toNanos();
    for (HealthProbe probe : probes) {
      String refusal = verdict(probe, deadline - System.nanoTime());
      if (!refusal.isEmpty()) {
        throw new IOException("upstream " + probe.address() + ": " + refusal);
      }
    }
  }

  private static String verdict(HealthProbe probe, long mostNanos) throws IOException {
    try {
      return probe.verdict().get(Math.max(0, mostNanos), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return ""; // it cannot be reached, so far
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the directory servers were asked", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import io.stoa.metrics.ProxyStatus;
import io.stoa.upstream.server.BackendStatus;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** What holds whenever all clients have gone: nothing is in flight, and nobody waits. */
public final class Invariants {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private Invariants() {}

  /** Waits until nothing is left of any client; fails, saying what is left, if that never comes. */
  public static void assertNothingLeft(Supplier<ProxyStatus> status) {
    try {
      Await.until("nothing is left", PATIENCE, () -> leftovers(status.get()).isEmpty());
    } catch (AssertionError e) {
      throw new AssertionError("left behind: " + leftovers(status.get()), e);
    }
  }

  private static Map<String, Integer> leftovers(ProxyStatus status) {
    Map<String, Integer> left = new LinkedHashMap<>();
    left.put("client connections", status.connections());
    left.put("operations in flight", status.operationsInFlight());
    left.put("operations queued", status.queued());
    left.put("fills in flight", status.fillsInFlight());
    left.put("read waiters", status.readWaiters());
    left.put("write waiters", status.writeWaiters());
    for (BackendStatus backend : status.backends()) {
      left.put("outstanding at " + backend.address(), backend.outstanding());
    }
    left.values().removeIf(count -> count == 0);
    return left;
  }
}

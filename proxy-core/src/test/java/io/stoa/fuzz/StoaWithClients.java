// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import io.stoa.testing.RunningProxy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One Stoa before the directory, and its clients. Confined to the thread of the test. */
final class StoaWithClients implements AutoCloseable {
  private final String name;
  private final Duration bound;
  private final RunningProxy proxy;
  private final Clients clients;
  private final Map<String, Long> changed = new HashMap<>();

  /**
   * @param bound how old an answer may be after a write round this Stoa
   */
  StoaWithClients(String name, Duration bound, RunningProxy proxy, List<Identity> identities) {
    this.name = name;
    this.bound = bound;
    this.proxy = proxy;
    this.clients = new Clients(proxy.address(), identities);
  }

  Clients clients() {
    return clients;
  }

  /** A part of the directory has been changed, not by a write through this Stoa. */
  void onOutsideWrite(String place) {
    changed.put(place, System.nanoTime());
  }

  /** Whether an answer to a request that is sent now may be from before the last such change. */
  boolean mayBeStale(String place) {
    Long then = changed.get(place);
    return then != null && System.nanoTime() - then <= bound.toNanos();
  }

  RunningProxy proxy() {
    return proxy;
  }

  @Override
  public void close() {
    clients.close();
    proxy.close();
  }

  @Override
  public String toString() {
    return name;
  }
}

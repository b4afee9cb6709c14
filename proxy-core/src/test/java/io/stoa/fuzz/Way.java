// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import io.stoa.testing.RawRequest;
import io.stoa.testing.RunningProxy;
import java.time.Duration;
import java.util.List;

/** One Stoa before the directory, and its clients. Confined to the thread of the test. */
final class Way implements AutoCloseable {
  private final String name;
  private final Duration bound;
  private final RunningProxy proxy;
  private final Clients clients;
  private long changed;

  /**
   * @param bound how old an answer may be after a write round this Stoa
   */
  Way(String name, Duration bound, RunningProxy proxy, List<Identity> identities) {
    this.name = name;
    this.bound = bound;
    this.proxy = proxy;
    this.clients = new Clients(proxy.address(), identities);
    changedElsewhere();
  }

  List<String> call(int who, RawRequest request) {
    return clients.call(who, request);
  }

  /** A write has been answered that did not go through this Stoa. */
  void changedElsewhere() {
    changed = System.nanoTime();
  }

  /** Whether an answer to a request that is sent now may be from before the last such write. */
  boolean mayBeOld() {
    return System.nanoTime() - changed <= bound.toNanos();
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

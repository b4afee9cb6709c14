// SPDX-License-Identifier: Apache-2.0
package io.stoa.metrics;

import java.util.function.Supplier;

/**
 * Where meters read: the counters, and the proxy as it was at the last {@link #refresh}, so that
 * the gauges of one scrape belong to one moment. Thread-safe.
 */
public final class ProxyNumbers {
  private final OperationCounters counters;
  private final Supplier<? extends ProxySnapshot> source;
  private volatile ProxySnapshot status;

  /** Reads the status once, and again at each refresh. */
  public ProxyNumbers(OperationCounters counters, Supplier<? extends ProxySnapshot> source) {
    this.counters = counters;
    this.source = source;
    this.status = source.get();
  }

  /** Looks at the proxy again; to be called before the meters are read. */
  public void refresh() {
    status = source.get();
  }

  /** What clients did since the start. */
  public OperationCounters counters() {
    return counters;
  }

  /** The proxy at the last refresh. */
  public ProxySnapshot status() {
    return status;
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.metrics;

import io.stoa.operation.OperationCounters;
import java.util.function.Supplier;

/**
 * The source of all meters: the counters, and a snapshot of the proxy. The snapshot is taken at
 * {@link #refresh}, so that all gauges of one scrape belong to the same moment.
 *
 * <p>Threading: thread-safe.
 */
public final class ProxyNumbers {
  private final OperationCounters counters;
  private final Supplier<ProxyStatus> source;
  private volatile ProxyStatus status;

  /** Takes the first snapshot. Each {@link #refresh} takes a new one. */
  public ProxyNumbers(OperationCounters counters, Supplier<ProxyStatus> source) {
    this.counters = counters;
    this.source = source;
    this.status = source.get();
  }

  /** Takes a new snapshot. Called before the meters are read. */
  public void refresh() {
    status = source.get();
  }

  /** Returns the counters of client events since the start. */
  public OperationCounters counters() {
    return counters;
  }

  /** Returns the snapshot of the last refresh. */
  public ProxyStatus status() {
    return status;
  }
}

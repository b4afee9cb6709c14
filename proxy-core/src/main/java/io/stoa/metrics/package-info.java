// SPDX-License-Identifier: Apache-2.0
/**
 * Counts events of clients and servers, and exposes the numbers to Micrometer.
 *
 * <p>Start reading at {@link io.stoa.metrics.OperationCounters}, which receives the events. {@link
 * io.stoa.metrics.ProxyMeters} describes each metric once. A new metric goes there.
 *
 * <p>Does not know: how numbers are shown. Nothing here takes part in an operation.
 *
 * <p>Threads: counters are written on all event loops and read on any thread.
 */
@NullMarked
package io.stoa.metrics;

import org.jspecify.annotations.NullMarked;

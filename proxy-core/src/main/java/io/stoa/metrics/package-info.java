// SPDX-License-Identifier: Apache-2.0
/**
 * Exposes the numbers of the proxy to Micrometer.
 *
 * <p>Start reading at {@link io.stoa.metrics.ProxyMeters}, which describes each metric once. A new
 * metric goes there. {@link io.stoa.operation.OperationCounters} counts the events of clients.
 *
 * <p>Does not know: how numbers are shown. Nothing here takes part in an operation.
 *
 * <p>Threads: counters are written on all event loops and read on any thread.
 */
@NullMarked
package io.stoa.metrics;

import org.jspecify.annotations.NullMarked;

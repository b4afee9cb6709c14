// SPDX-License-Identifier: Apache-2.0
/**
 * Observes the proxy from outside: counts what clients do, and offers the numbers to Micrometer.
 *
 * <p>Nothing here takes part in an operation or knows how the numbers are shown. Entry classes:
 * {@link io.stoa.monitor.OperationCounters}, which hears the events, and {@link
 * io.stoa.monitor.ProxyMeters}, which describes each metric once. Counters are written on all event
 * loops and read on any thread.
 */
@NullMarked
package io.stoa.monitor;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.admin;

import io.stoa.ProxyStatus;
import io.stoa.monitor.OperationCounters;
import java.time.Clock;
import java.time.Instant;
import java.util.function.Supplier;

/**
 * Where {@code cn=monitor} gets its values. Immutable.
 *
 * @param counters what clients did
 * @param status looks at the proxy
 * @param version the product and its version
 * @param times how times are printed
 * @param clock tells the time
 * @param started when Stoa started
 */
public record MonitorSource(
    OperationCounters counters,
    Supplier<ProxyStatus> status,
    String version,
    TimeForm times,
    Clock clock,
    Instant started) {}

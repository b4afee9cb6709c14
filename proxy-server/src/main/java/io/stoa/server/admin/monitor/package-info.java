// SPDX-License-Identifier: Apache-2.0
/**
 * {@code cn=monitor}: counters and states of the proxy as entries, answered before any cache sees
 * the request.
 *
 * <p>Reads counters and a status; does not know how the proxy works. Entry class: {@link
 * io.stoa.server.admin.monitor.MonitorStage}, one for each event loop. Entries are built anew for
 * each answer.
 */
@NullMarked
package io.stoa.server.admin.monitor;

import org.jspecify.annotations.NullMarked;

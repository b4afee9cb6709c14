// SPDX-License-Identifier: Apache-2.0
/**
 * Connections to directory servers: how many there are, who may use them, and when a server counts
 * as up.
 *
 * <p>Each event loop has pools of its own. A pool lends connections to the operations of an
 * identity and opens more up to its limits. Operations that a lost connection leaves unanswered are
 * given back. Health checks and the results of clients' operations change the health of a server.
 *
 * <p>Start reading at {@link io.stoa.upstream.pool.UpstreamPools}, then {@link
 * io.stoa.upstream.connection.UpstreamConnection} and {@link io.stoa.upstream.health.HealthProbe}.
 *
 * <p>Does not know: clients' connections, caches, the meaning of a request.
 *
 * <p>Threads: pools and connections belong to one event loop. Servers, tiers and limits are shared
 * by all loops.
 */
@NullMarked
package io.stoa.upstream;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/**
 * Which server answers an operation, in which directory, and whether it is sent once more.
 *
 * <p>The end of the chain of stages. It chooses among the servers that the session may read from,
 * follows referrals, and hands the operation to a pool.
 *
 * <p>Start reading at {@link io.stoa.routing.RoutingStage}, then {@link
 * io.stoa.routing.ServerChoice}.
 *
 * <p>Does not know: how connections are kept, caches, listeners.
 *
 * <p>Threads: stages are event-loop confined. {@link io.stoa.routing.WriteCoherence} is shared.
 */
@NullMarked
package io.stoa.routing;

import org.jspecify.annotations.NullMarked;

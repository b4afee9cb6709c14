// SPDX-License-Identifier: Apache-2.0
/**
 * Chooses the server that answers an operation, in the right directory, and retries it if need be.
 *
 * <p>The package is the end of the chain of stages. A stage chooses among the servers that the
 * session may read from, follows referrals, and hands the operation to a pool.
 *
 * <p>Start reading at {@link io.stoa.routing.RoutingStage}, then {@link
 * io.stoa.routing.ServerChoice}.
 *
 * <p>Does not know: how connections are kept, caches, listeners.
 *
 * <p>Threads: stages are confined to their event loop. {@link io.stoa.routing.WriteCoherence} is
 * shared.
 */
@NullMarked
package io.stoa.routing;

import org.jspecify.annotations.NullMarked;

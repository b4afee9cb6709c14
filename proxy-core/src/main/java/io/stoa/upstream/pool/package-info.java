// SPDX-License-Identifier: Apache-2.0
/**
 * Pools of upstream connections: one group per identity, binds, limits and fairness between
 * identities.
 *
 * <p>Start reading at {@link io.stoa.upstream.pool.UpstreamPools}, one for each event loop.
 *
 * <p>Threading: event loop.
 */
@NullMarked
package io.stoa.upstream.pool;

import org.jspecify.annotations.NullMarked;

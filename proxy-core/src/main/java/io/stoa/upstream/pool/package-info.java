// SPDX-License-Identifier: Apache-2.0
/**
 * Pools of connections: groups by identity, growth and idle limits, binds, fairness between
 * identities.
 *
 * <p>Entry class: {@link io.stoa.upstream.pool.UpstreamPools}, one for each event loop.
 */
@NullMarked
package io.stoa.upstream.pool;

import org.jspecify.annotations.NullMarked;

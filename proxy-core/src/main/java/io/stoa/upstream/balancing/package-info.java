// SPDX-License-Identifier: Apache-2.0
/**
 * Spreads operations over servers: tiers, weights, least latency of two (Mitzenmacher, 2001),
 * outlier ejection.
 *
 * <p>Start reading at {@link io.stoa.upstream.balancing.ServerGroup}.
 *
 * <p>Threading: thread-safe; all event loops share a group.
 */
@NullMarked
package io.stoa.upstream.balancing;

import org.jspecify.annotations.NullMarked;

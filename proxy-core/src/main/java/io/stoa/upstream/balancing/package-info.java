// SPDX-License-Identifier: Apache-2.0
/**
 * Spreads operations over servers: tiers, weights, least latency of two (Mitzenmacher, 2001),
 * outlier ejection.
 *
 * <p>Entry class: {@link io.stoa.upstream.balancing.Tier}, shared by all event loops.
 */
@NullMarked
package io.stoa.upstream.balancing;

import org.jspecify.annotations.NullMarked;

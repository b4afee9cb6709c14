// SPDX-License-Identifier: Apache-2.0
/**
 * The bound of staleness: a lease that proves that a feed is up to date, and the read index for
 * single requests (Ongaro, 2014, section 6.4).
 *
 * <p>Entry class: {@link io.stoa.coherence.freshness.CoherenceLease}, thread-safe.
 */
@NullMarked
package io.stoa.coherence.freshness;

import org.jspecify.annotations.NullMarked;

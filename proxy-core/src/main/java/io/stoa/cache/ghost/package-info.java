// SPDX-License-Identifier: Apache-2.0
/**
 * Ghost caches: they estimate the hit ratio that caches of other sizes would have.
 *
 * <p>Entry class: {@link io.stoa.cache.ghost.CacheSimulation}, thread-safe.
 */
@NullMarked
package io.stoa.cache.ghost;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/**
 * Maps that are bounded by entries and by octets.
 *
 * <p>Entry class: {@link io.stoa.cache.memory.BoundedCache}, thread-safe.
 */
@NullMarked
package io.stoa.cache.memory;

import org.jspecify.annotations.NullMarked;

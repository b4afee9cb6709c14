// SPDX-License-Identifier: Apache-2.0
/**
 * Maps that are bounded by entries and by octets. Entry class: {@link io.stoa.memory.BoundedCache},
 * thread-safe.
 */
@NullMarked
package io.stoa.memory;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/**
 * Applies the changes of one naming context in order, and validates fills against them.
 *
 * <p>Entry class: {@link io.stoa.coherence.invalidation.CoherenceDomain}. Changes are applied on
 * one executor of its own.
 */
@NullMarked
package io.stoa.coherence.invalidation;

import org.jspecify.annotations.NullMarked;

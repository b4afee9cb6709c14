// SPDX-License-Identifier: Apache-2.0
/**
 * Finds the queries that a changed entry may concern, without looking at the others.
 *
 * <p>Entry class: {@link io.stoa.coherence.index.PredicateIndex}, thread-safe. All objects that it
 * returns are immutable.
 */
@NullMarked
package io.stoa.coherence.index;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/**
 * From a changed entry to the queries that it may concern, without looking at the others.
 *
 * <p>Entry class: {@link io.stoa.coherence.index.PredicateIndex}, thread-safe; all that it gives
 * out is immutable.
 */
@NullMarked
package io.stoa.coherence.index;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/**
 * From a changed entry to what is cached and may have to change with it, without looking at the
 * rest: each cached query is filed under keys of which every entry that it may return has one,
 * under its base, and under the entries that it holds.
 *
 * <p>Knows queries and images, never what a view holds or who may see it. Entry class: {@link
 * io.stoa.index.PredicateIndex}.
 *
 * <p>Threads: the index is thread-safe; everything that it gives out is immutable.
 */
@NullMarked
package io.stoa.index;

import org.jspecify.annotations.NullMarked;

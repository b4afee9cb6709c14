// SPDX-License-Identifier: Apache-2.0
/**
 * Whether an entry matches a search, as the directory itself would decide, for as much of that as
 * Stoa knows for certain.
 *
 * <p>The answer UNKNOWN is always right, a wrong TRUE or FALSE never is: what is not known of a
 * rule, a value or the schema of the directory makes UNKNOWN. Knows schema and kind of the
 * directory, never what is cached, by whom or why. Entry classes: {@link io.stoa.filter.Query} and
 * {@link io.stoa.filter.Image}.
 *
 * <p>Threads: everything is immutable and may be shared.
 */
@NullMarked
package io.stoa.filter;

import org.jspecify.annotations.NullMarked;

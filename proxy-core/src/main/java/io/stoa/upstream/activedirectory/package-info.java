// SPDX-License-Identifier: Apache-2.0
/**
 * Adaptation to Active Directory: values in ranges, and references to its partitions.
 *
 * <p>Start reading at {@link io.stoa.upstream.activedirectory.RangeStage}.
 *
 * <p>Threading: event loop.
 */
@NullMarked
package io.stoa.upstream.activedirectory;

import org.jspecify.annotations.NullMarked;

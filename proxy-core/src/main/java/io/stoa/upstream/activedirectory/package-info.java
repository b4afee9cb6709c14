// SPDX-License-Identifier: Apache-2.0
/**
 * What Active Directory does in its own way: values in ranges, and references to its partitions.
 * Event-loop confined.
 *
 * <p>Entry class: {@link io.stoa.upstream.activedirectory.RangeStage}.
 */
@NullMarked
package io.stoa.upstream.activedirectory;

import org.jspecify.annotations.NullMarked;

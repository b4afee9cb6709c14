// SPDX-License-Identifier: Apache-2.0
/**
 * In what two states of something large differ, found without reading what they have in common.
 * Stateless. Entry class: {@link io.stoa.diff.ValueDelta}.
 */
@NullMarked
package io.stoa.diff;

import org.jspecify.annotations.NullMarked;

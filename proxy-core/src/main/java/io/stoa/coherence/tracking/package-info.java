// SPDX-License-Identifier: Apache-2.0
/**
 * Makes a client's read one whose answer can be tracked, and makes a client's write take effect
 * before its answer.
 *
 * <p>Entry classes: {@link io.stoa.coherence.tracking.CheckedSearch}, event-loop confined, and
 * {@link io.stoa.coherence.tracking.OwnWrites}, thread-safe.
 */
@NullMarked
package io.stoa.coherence.tracking;

import org.jspecify.annotations.NullMarked;

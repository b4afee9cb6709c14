// SPDX-License-Identifier: Apache-2.0
/**
 * A stored result as a view of the directory: the entries that it shows, the changes that affect
 * it, its state.
 *
 * <p>Entry classes: {@link io.stoa.coherence.view.View}, thread-safe, and {@link
 * io.stoa.coherence.view.Invalidator}, confined to the thread that applies changes.
 */
@NullMarked
package io.stoa.coherence.view;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/**
 * A cached answer as a view of the directory: which entries it shows, what changes it, and whether
 * it still is right. Knows neither what the answer looks like nor where it is kept; who keeps it is
 * told when it is void. Entry classes: {@link io.stoa.view.View}, which any thread may use, and
 * {@link io.stoa.view.Effects}, confined to the thread that applies changes.
 */
@NullMarked
package io.stoa.view;

import org.jspecify.annotations.NullMarked;

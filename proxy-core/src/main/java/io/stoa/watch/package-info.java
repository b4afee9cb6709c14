// SPDX-License-Identifier: Apache-2.0
/**
 * Where operations meet what rests on feeds: searches are sent so that their answers can be
 * compared with what has changed, and writes take effect before their clients are answered. Entry
 * classes: {@link io.stoa.watch.CheckedSearch}, event-loop confined, and {@link
 * io.stoa.watch.OwnWrites}, thread-safe.
 */
@NullMarked
package io.stoa.watch;

import org.jspecify.annotations.NullMarked;

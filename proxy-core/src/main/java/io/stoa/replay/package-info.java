// SPDX-License-Identifier: Apache-2.0
/**
 * What becomes of operations that servers do not answer, or refuse: what is held so that they can
 * be sent again, and when they are. Does not know which server that is. Entry class: {@link
 * io.stoa.replay.Replay}. Event-loop confined.
 */
@NullMarked
package io.stoa.replay;

import org.jspecify.annotations.NullMarked;

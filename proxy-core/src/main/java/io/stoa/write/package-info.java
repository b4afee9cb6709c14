// SPDX-License-Identifier: Apache-2.0
/**
 * Writes on their way to the directory. Knows nothing of caches: it tells a {@link
 * io.stoa.change.ChangeListener}. Entry class: {@link io.stoa.write.WriteStage}. Event-loop
 * confined.
 */
@NullMarked
package io.stoa.write;

import org.jspecify.annotations.NullMarked;

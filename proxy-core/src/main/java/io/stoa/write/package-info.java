// SPDX-License-Identifier: Apache-2.0
/**
 * Order of writes, write windows and transactions (RFC 5805).
 *
 * <p>A write waits for its window, goes to the primary, and takes effect on the caches before its
 * client is answered. Writes of one client stay in order.
 *
 * <p>Start reading at {@link io.stoa.write.WriteStage}, then {@link io.stoa.write.WriteWindow}.
 *
 * <p>Does not know: caches. Changes are reported to a {@link io.stoa.operation.ChangeListener}.
 *
 * <p>Threads: confined to the event loop, except for the window, which all loops share.
 */
@NullMarked
package io.stoa.write;

import org.jspecify.annotations.NullMarked;

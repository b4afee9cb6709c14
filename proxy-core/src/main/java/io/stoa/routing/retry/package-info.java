// SPDX-License-Identifier: Apache-2.0
/**
 * Retries and hedges, within a budget, and the answers held for them.
 *
 * <p>Entry class: {@link io.stoa.routing.retry.Replay}.
 *
 * <p>Threads: confined to the event loop.
 */
@NullMarked
package io.stoa.routing.retry;

import org.jspecify.annotations.NullMarked;

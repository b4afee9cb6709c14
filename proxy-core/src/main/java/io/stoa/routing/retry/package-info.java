// SPDX-License-Identifier: Apache-2.0
/**
 * Retries and hedges: what is sent again after a failure, within a budget, and what is held so that
 * it can be.
 *
 * <p>Entry class: {@link io.stoa.routing.retry.Replay}. Event-loop confined.
 */
@NullMarked
package io.stoa.routing.retry;

import org.jspecify.annotations.NullMarked;

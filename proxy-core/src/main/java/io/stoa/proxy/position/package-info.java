// SPDX-License-Identifier: Apache-2.0
/**
 * Polls the positions of servers: how far each of them has got.
 *
 * <p>Entry class: {@link io.stoa.proxy.position.ReplicaPositionMonitor}.
 */
@NullMarked
package io.stoa.proxy.position;

import org.jspecify.annotations.NullMarked;

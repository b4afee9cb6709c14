// SPDX-License-Identifier: Apache-2.0
/**
 * Which server answers an operation, and on what kind of connection: the end of the chain. Knows
 * what requests need, not how connections are kept. Entry class: {@link
 * io.stoa.route.RoutingStage}. Stages are event-loop confined; {@link io.stoa.route.WriteCoherence}
 * is shared.
 */
@NullMarked
package io.stoa.route;

import org.jspecify.annotations.NullMarked;

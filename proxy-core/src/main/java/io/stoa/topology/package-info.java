// SPDX-License-Identifier: Apache-2.0
/**
 * Several directories, each of which holds a part of the tree, as one: which of them an operation
 * is for, as whom a client acts in those in which it has not bound, and searches above several.
 * Knows nothing of servers and connections. Entry class: {@link io.stoa.topology.TopologyStage}.
 * Event-loop confined, but for what is immutable.
 */
@NullMarked
package io.stoa.topology;

import org.jspecify.annotations.NullMarked;

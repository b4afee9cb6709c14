// SPDX-License-Identifier: Apache-2.0
/**
 * Several directories as one tree: which of them holds a name, as whom a client acts in each, and
 * searches above several.
 *
 * <p>Entry class: {@link io.stoa.routing.directory.TopologyStage}. Event-loop confined, but for
 * what is immutable.
 */
@NullMarked
package io.stoa.routing.directory;

import org.jspecify.annotations.NullMarked;

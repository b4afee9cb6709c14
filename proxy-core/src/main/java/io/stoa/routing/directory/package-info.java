// SPDX-License-Identifier: Apache-2.0
/**
 * Several directories as one tree: the directory of each name, the client's session in each, and
 * searches above several.
 *
 * <p>Entry class: {@link io.stoa.routing.directory.TopologyStage}.
 *
 * <p>Threads: confined to the event loop; other classes are immutable.
 */
@NullMarked
package io.stoa.routing.directory;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/**
 * Operations that wait for a connection: in which order they get one, and how many may wait. Knows
 * no connections. Entry class: {@link io.stoa.queue.FairQueue}. A queue belongs to one event loop;
 * the bound is shared by all of them.
 */
@NullMarked
package io.stoa.queue;

import org.jspecify.annotations.NullMarked;

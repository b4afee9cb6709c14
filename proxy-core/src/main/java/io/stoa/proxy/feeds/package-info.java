// SPDX-License-Identifier: Apache-2.0
/**
 * Assembles the feed, the lease and the coherence domain of each naming context.
 *
 * <p>Entry class: {@link io.stoa.proxy.feeds.Feeds}, thread-safe.
 */
@NullMarked
package io.stoa.proxy.feeds;

import org.jspecify.annotations.NullMarked;

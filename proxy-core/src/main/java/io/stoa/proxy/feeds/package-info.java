// SPDX-License-Identifier: Apache-2.0
/**
 * Puts feeds, leases and coherence together for each naming context.
 *
 * <p>Entry class: {@link io.stoa.proxy.feeds.Feeds}, thread-safe.
 */
@NullMarked
package io.stoa.proxy.feeds;

import org.jspecify.annotations.NullMarked;

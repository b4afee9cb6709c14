// SPDX-License-Identifier: Apache-2.0
/**
 * Events of a feed, and the interfaces between a feed and its listeners.
 *
 * <p>Entry class: {@link io.stoa.feed.event.FeedSink}, called on a thread of the feed.
 */
@NullMarked
package io.stoa.feed.event;

import org.jspecify.annotations.NullMarked;

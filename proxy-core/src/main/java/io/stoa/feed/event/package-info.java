// SPDX-License-Identifier: Apache-2.0
/**
 * Events of a feed, and the interfaces between a feed and those who listen to it.
 *
 * <p>Entry class: {@link io.stoa.feed.event.FeedSink}, called on a thread of the feed.
 */
@NullMarked
package io.stoa.feed.event;

import org.jspecify.annotations.NullMarked;

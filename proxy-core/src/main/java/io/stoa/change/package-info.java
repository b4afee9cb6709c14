// SPDX-License-Identifier: Apache-2.0
/**
 * What happened upstream. Knows neither who reports a change nor who cares. Entry classes: {@link
 * io.stoa.change.ChangeListener} for what was done through Stoa, called on the event loop on which
 * the change was answered; {@link io.stoa.change.FeedSink} for what a directory server tells of its
 * changes, called on a thread of the feed.
 */
@NullMarked
package io.stoa.change;

import org.jspecify.annotations.NullMarked;

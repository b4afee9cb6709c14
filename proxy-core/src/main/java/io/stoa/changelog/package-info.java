// SPDX-License-Identifier: Apache-2.0
/**
 * The retro changelog of 389-ds as a feed: records of what was done are polled, what entries look
 * like now is read, and both are told to a {@link io.stoa.change.FeedSink}. Entry class: {@link
 * io.stoa.changelog.ChangelogFeed}, with threads of its own.
 */
@NullMarked
package io.stoa.changelog;

import org.jspecify.annotations.NullMarked;

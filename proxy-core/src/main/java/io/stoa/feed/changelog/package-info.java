// SPDX-License-Identifier: Apache-2.0
/**
 * The retro changelog of 389-ds as a feed: its records are polled, and the changed entries are
 * read.
 *
 * <p>Entry class: {@link io.stoa.feed.changelog.ChangelogFeed}, with threads of its own.
 */
@NullMarked
package io.stoa.feed.changelog;

import org.jspecify.annotations.NullMarked;

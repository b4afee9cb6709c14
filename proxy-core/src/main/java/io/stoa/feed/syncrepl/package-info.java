// SPDX-License-Identifier: Apache-2.0
/**
 * The consumer of RFC 4533: refresh, persist, cookies, reconnects, and proofs that no change was
 * missed.
 *
 * <p>Also the life cycle of every feed. Entry classes: {@link
 * io.stoa.feed.syncrepl.FeedSupervisor}, {@link io.stoa.feed.syncrepl.SyncReplFeed} and {@link
 * io.stoa.feed.syncrepl.SyncEvents}, confined to the executor of the feed.
 */
@NullMarked
package io.stoa.feed.syncrepl;

import org.jspecify.annotations.NullMarked;

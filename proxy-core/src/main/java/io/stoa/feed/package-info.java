// SPDX-License-Identifier: Apache-2.0
/**
 * Change feeds of directories: syncrepl (RFC 4533), the accesslog of OpenLDAP, and the retro
 * changelog of 389-ds.
 *
 * <p>A feed connects under its own account, reads changes in order, and delivers them to a {@link
 * io.stoa.feed.event.FeedSink}. When the feed may have missed a change, it reports a gap and begins
 * anew.
 *
 * <p>Start reading at {@link io.stoa.feed.event.FeedSink}, then {@link
 * io.stoa.feed.syncrepl.FeedSupervisor}.
 *
 * <p>Does not know: caches, stored results, clients.
 *
 * <p>Threads: a connection's thread reads and enqueues. Everything else runs on the executor of the
 * feed.
 */
@NullMarked
package io.stoa.feed;

import org.jspecify.annotations.NullMarked;

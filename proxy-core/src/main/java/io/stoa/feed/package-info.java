// SPDX-License-Identifier: Apache-2.0
/**
 * Change streams of directories: syncrepl (RFC 4533), the accesslog of OpenLDAP, the retro
 * changelog of 389-ds.
 *
 * <p>A feed connects as an account of its own, reads changes in order, and hands them to a {@link
 * io.stoa.feed.event.FeedSink}. It says when it has lost something, and begins again.
 *
 * <p>Start reading at {@link io.stoa.feed.event.FeedSink}, then {@link
 * io.stoa.feed.syncrepl.FeedSupervisor}.
 *
 * <p>Does not know: caches, stored results, clients.
 *
 * <p>Threads: a connection's thread reads and enqueues. Everything else happens on the executor of
 * the feed.
 */
@NullMarked
package io.stoa.feed;

import org.jspecify.annotations.NullMarked;

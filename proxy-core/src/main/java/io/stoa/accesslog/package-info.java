// SPDX-License-Identifier: Apache-2.0
/**
 * The accesslog of OpenLDAP as a feed: a sync search tells of its records, what entries look like
 * is read, and both are told to a {@link io.stoa.change.FeedSink}. Entry class: {@link
 * io.stoa.accesslog.LogOrigin}, which a {@link io.stoa.feed.FeedSupervisor} asks where to search.
 */
@NullMarked
package io.stoa.accesslog;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/**
 * What directory servers tell of changes by themselves. Knows neither the caches nor who is served:
 * it gives what it hears to a {@link io.stoa.change.FeedSink}, in order. Entry class: {@link
 * io.stoa.feed.SyncEvents}.
 *
 * <p>Connections of the LDAP SDK are those of feeds alone. Their threads read and enqueue;
 * everything else happens on the executor of the feed.
 */
@NullMarked
package io.stoa.feed;

import org.jspecify.annotations.NullMarked;

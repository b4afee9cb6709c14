// SPDX-License-Identifier: Apache-2.0
/**
 * Statistics of searches by their pattern: what {@code pg_stat_statements} is for SQL.
 *
 * <p>The caches find the {@link io.stoa.operation.digest.SearchDigest} of a search with its request
 * template. Hits are collected in the {@link io.stoa.operation.digest.DigestBatch} of the event
 * loop until their duration is known. All other searches carry their digest to their end.
 *
 * <p>Start reading at {@link io.stoa.operation.digest.DigestTable}.
 *
 * <p>Does not know: caches, clients, servers.
 *
 * <p>Threads: event loops record, any thread reads.
 */
@NullMarked
package io.stoa.operation.digest;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/**
 * Stored results: lookup, fill, sharing between identities, paging, refresh and audit.
 *
 * <p>A search is decoded and normalized once. A hit is answered from memory if its age, its views
 * and its identity allow. A miss goes on, and its answer is stored on the way back.
 *
 * <p>Start reading at {@link io.stoa.cache.result.CacheStage}, then {@link
 * io.stoa.cache.result.Fill}.
 *
 * <p>Does not know: sockets, buffers, servers, feeds.
 *
 * <p>Threads: a stage belongs to one event loop. The stores are shared by all loops and
 * thread-safe.
 */
@NullMarked
package io.stoa.cache;

import org.jspecify.annotations.NullMarked;

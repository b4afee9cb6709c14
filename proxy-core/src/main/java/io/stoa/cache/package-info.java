// SPDX-License-Identifier: Apache-2.0
/**
 * Answers repeated searches and compares from memory. Knows what may be stored, for whom, and how
 * long it is true; knows nothing of sockets, buffers or servers. Entry class: {@link
 * io.stoa.cache.CacheStage}, one for each event loop, over the {@link io.stoa.cache.Caches} that
 * all of them share.
 */
@NullMarked
package io.stoa.cache;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/**
 * Lookup and fill of stored results, single flight included.
 *
 * <p>Entry class: {@link io.stoa.cache.result.CacheStage}, one for each event loop, over the {@link
 * io.stoa.cache.result.Caches} that all of them share.
 */
@NullMarked
package io.stoa.cache.result;

import org.jspecify.annotations.NullMarked;

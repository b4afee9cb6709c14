// SPDX-License-Identifier: Apache-2.0
/**
 * Limits of a client's searches: entries, time, pages, sorting.
 *
 * <p>A limit changes the request, or ends the response. Later stages do not know the limits, so the
 * caches hold the directory's own responses. Entry class: {@link io.stoa.client.limit.LimitStage}.
 *
 * <p>Threading: event loop, except {@link io.stoa.client.limit.PagedSearches}, which is
 * thread-safe.
 */
@NullMarked
package io.stoa.client.limit;

import org.jspecify.annotations.NullMarked;

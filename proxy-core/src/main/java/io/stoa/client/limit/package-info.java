// SPDX-License-Identifier: Apache-2.0
/**
 * Limits of a client's searches: entries, time, pages, sorting.
 *
 * <p>A limit changes the request on its way, or ends the answer. Nothing behind it knows of limits,
 * so that the caches hold what the directory has said. Entry class: {@link
 * io.stoa.client.limit.LimitStage}. Event-loop confined, but for {@link
 * io.stoa.client.limit.PagedSearches}.
 */
@NullMarked
package io.stoa.client.limit;

import org.jspecify.annotations.NullMarked;

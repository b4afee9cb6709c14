// SPDX-License-Identifier: Apache-2.0
/**
 * Simple paged results (RFC 2696) from memory: a whole result is cut into pages under the proxy's
 * own cookies.
 *
 * <p>Entry class: {@link io.stoa.cache.paging.PageStage}, event-loop confined.
 */
@NullMarked
package io.stoa.cache.paging;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/**
 * Simple paged results (RFC 2696) from memory: a whole result is given out in pages under cookies
 * of the proxy's own.
 *
 * <p>Entry class: {@link io.stoa.cache.paging.PageStage}. Event-loop confined.
 */
@NullMarked
package io.stoa.cache.paging;

import org.jspecify.annotations.NullMarked;

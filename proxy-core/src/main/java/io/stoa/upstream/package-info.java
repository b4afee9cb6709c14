// SPDX-License-Identifier: Apache-2.0
/**
 * Connections to directory servers: who may use which, how many there are, and what becomes of
 * operations when one is lost. Knows nothing of caches or of what requests mean. Entry class:
 * {@link io.stoa.upstream.UpstreamPools}, one for each event loop.
 */
@NullMarked
package io.stoa.upstream;

import org.jspecify.annotations.NullMarked;

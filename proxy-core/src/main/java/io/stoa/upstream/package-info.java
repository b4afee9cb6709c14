// SPDX-License-Identifier: Apache-2.0
/**
 * Connections to directory servers: who may use which, how many there are, and what becomes of
 * operations when one is lost. Knows nothing of caches or of what requests mean. Entry class:
 * {@link io.stoa.upstream.UpstreamPools}, one for each event loop; {@link io.stoa.upstream.Backend}
 * and {@link io.stoa.upstream.QueueBound} are shared by all of them.
 */
@NullMarked
package io.stoa.upstream;

import org.jspecify.annotations.NullMarked;

// SPDX-License-Identifier: Apache-2.0
/**
 * Keeps stored results true while others write to the directory.
 *
 * <p>A change arrives from a feed, or from a write through the proxy. It is appended to the change
 * ring, the affected views are found by an index, and are invalidated or changed in place. A fill
 * is kept only if no change since its read affects it.
 *
 * <p>Start reading at {@link io.stoa.coherence.invalidation.CoherenceDomain}, then {@link
 * io.stoa.coherence.invalidation.FillValidator} and {@link
 * io.stoa.coherence.freshness.CoherenceLease}.
 *
 * <p>Does not know: clients' connections, upstream connections, how results are stored.
 *
 * <p>Threads: one thread for each naming context applies changes. Event loops validate fills and
 * hits.
 */
@NullMarked
package io.stoa.coherence;

import org.jspecify.annotations.NullMarked;

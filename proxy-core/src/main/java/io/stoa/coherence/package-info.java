// SPDX-License-Identifier: Apache-2.0
/**
 * Keeps stored results valid while the directory changes.
 *
 * <p>A change arrives from a feed, or from a write through Stoa. The change is appended to the
 * change ring. An index finds the affected views, which are invalidated or updated in place. A fill
 * is stored only if no change since its read affects it.
 *
 * <p>Start reading at {@link io.stoa.coherence.invalidation.CoherenceDomain}, then {@link
 * io.stoa.coherence.invalidation.FillValidator} and {@link
 * io.stoa.coherence.freshness.CoherenceLease}.
 *
 * <p>Does not know: connections of clients, upstream connections, how results are stored.
 *
 * <p>Threads: one thread for each naming context applies changes. Event loops validate fills and
 * hits.
 */
@NullMarked
package io.stoa.coherence;

import org.jspecify.annotations.NullMarked;

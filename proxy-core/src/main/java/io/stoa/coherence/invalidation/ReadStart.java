// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.coherence.view.ViewListener;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Query;
import org.jspecify.annotations.Nullable;

/**
 * Snapshot taken before a search is sent whose answer the feed may hold. Immutable, provided that
 * the array is not modified.
 *
 * @param base the base as the client has spelled it
 * @param listener the listener that keeps the answer
 * @param epoch the epoch in which the search is sent
 * @param feedServer the server from which the feed came then; null if not known
 * @param covered the position of the feed's server then
 * @param sentNanos a time at or before the sending of the search
 * @param settledNanos changes reported before this time are visible to reads on every server that
 *     has them; a server may report a change, and count it, before reads show it
 */
public record ReadStart(
    Query query,
    byte[] base,
    ViewListener listener,
    FeedEpoch epoch,
    @Nullable Object feedServer,
    Position covered,
    long sentNanos,
    long settledNanos) {}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.coherence.view.ViewListener;
import io.stoa.ldap.csn.Position;
import io.stoa.ldap.filter.Query;
import org.jspecify.annotations.Nullable;

/**
 * A search that is about to be sent, whose answer is to rest on the feed. Immutable, as long as
 * nobody modifies the array.
 *
 * @param base the base as the client has spelled it
 * @param owner who keeps the answer
 * @param run in which it was sent
 * @param home from where the feed came then
 * @param covered what the feed's server had then
 * @param sentNanos not after it was sent
 * @param settledNanos what was said before then is shown by whoever has it: a server may say that
 *     something has changed, and count it, a while before reads show it
 */
public record ReadStart(
    Query query,
    byte[] base,
    ViewListener owner,
    FeedEpoch run,
    @Nullable Object home,
    Position covered,
    long sentNanos,
    long settledNanos) {}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.realm;

import io.stoa.change.Position;
import io.stoa.filter.Query;
import io.stoa.view.Owner;
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
 */
public record Opening(
    Query query,
    byte[] base,
    Owner owner,
    Run run,
    @Nullable Object home,
    Position covered,
    long sentNanos) {}

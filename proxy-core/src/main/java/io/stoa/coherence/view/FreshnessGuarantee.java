// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

import java.util.function.Consumer;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The conditions under which views may be served.
 *
 * <p>Threading: thread-safe.
 *
 * @param live true if the feed is known to be close enough to the servers at a time of the clock;
 *     called for each hit, by any thread
 * @param reached true if all changes that the servers had acknowledged by a time of the clock have
 *     been applied; null if entries as the feed reports them must not be served
 * @param proof proves that a hit is not older than its request; null if {@code live} is enough
 */
public record FreshnessGuarantee(
    LongPredicate live, @Nullable LongPredicate reached, @Nullable Proof proof) {
  /**
   * Proves that the applied changes include all that was acknowledged before a request, as a read
   * index does (Ongaro, 2014). Threading: thread-safe.
   */
  public interface Proof {
    /** True if all changes acknowledged before that time have been applied. */
    boolean isProved(long received);

    /**
     * Starts a proof, unless there is one already.
     *
     * @param received the time of the request, by the clock
     * @param callback called once, on any thread, perhaps before this returns: true if all changes
     *     acknowledged before the request have been applied, false if the wait has timed out
     */
    void await(long received, Consumer<Boolean> callback);
  }
}

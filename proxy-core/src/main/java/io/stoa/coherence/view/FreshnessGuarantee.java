// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.view;

import java.util.function.Consumer;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * What views rely on. Thread-safe.
 *
 * @param live whether, at a time of the clock, the feed is known to be close enough behind; asked
 *     for every hit, by any thread
 * @param reached whether all that the servers had acknowledged by a time of the clock has been
 *     applied; null if what the feed shows of entries is not to be given to anybody
 * @param proof of what was acknowledged before a request, for whoever may be given nothing older;
 *     null if what is {@code live} will do
 */
public record FreshnessGuarantee(
    LongPredicate live, @Nullable LongPredicate reached, @Nullable Proof proof) {
  /** Nothing is changed in place. */
  public static FreshnessGuarantee on(LongPredicate live) {
    return new FreshnessGuarantee(live, null, null);
  }

  /** Asks the servers how far they have got. Thread-safe. */
  public interface Proof {
    /** Whether all that was acknowledged before that time has been applied. */
    boolean isThere(long received);

    /**
     * Asks, unless it has been proved already.
     *
     * @param received when the request came, by the clock
     * @param told is given it once, on any thread, perhaps at once: whether all that was
     *     acknowledged before has been applied, or it is too late to wait for that
     */
    void await(long received, Consumer<Boolean> told);
  }
}

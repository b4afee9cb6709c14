// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.feed.syncrepl.FeedStatus;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * State of a naming context with a change feed, for monitoring.
 *
 * <p>Threading: immutable.
 *
 * @param context the name of the naming context, and its part if only a part of the directory is
 *     cached
 * @param mode the kind of the feed
 * @param feed the state of the feed
 * @param domain the state and counters of the domain
 * @param leaseAgeNanos time since the applied changes were last proved complete; negative if never
 * @param bound the maximum of that time
 * @param marginNanos maximum time before a position is read in which a server may have acknowledged
 *     a change that the position does not cover
 * @param unservedReason the reason why no result is served although the feed is live; empty if
 *     there is none
 * @param coverage the evidence that the account sees everything, or what is missing for it
 * @param rights {@code watched} if changes of rights are noticed, or the reason why they may not be
 * @param revocations number of possible changes of rights; each invalidates what was read before
 * @param derivations number of possible changes of attributes that the directory derives or repairs
 */
public record DomainReport(
    String context,
    String mode,
    FeedStatus feed,
    DomainStatus domain,
    long leaseAgeNanos,
    Duration bound,
    long marginNanos,
    String unservedReason,
    String coverage,
    String rights,
    long revocations,
    long derivations) {
  private static final String LAPSED = "lapsed";

  /** All values of {@link #state}. */
  public static final List<String> STATES =
      Stream.concat(Stream.of(LAPSED), Arrays.stream(DomainState.values()).map(DomainReport::word))
          .toList();

  /** Returns the same report under another name. */
  public DomainReport named(String name) {
    return new DomainReport(
        name,
        mode,
        feed,
        domain,
        leaseAgeNanos,
        bound,
        marginNanos,
        unservedReason,
        coverage,
        rights,
        revocations,
        derivations);
  }

  /** True if the feed reports changes, and results may rely on it. */
  public boolean isLive() {
    return domain.state() == DomainState.LIVE && unservedReason.isEmpty();
  }

  /** Returns the state of the results in one word. */
  public String state() {
    return unservedReason.isEmpty() ? word(domain.state()) : LAPSED;
  }

  private static String word(DomainState state) {
    return state.name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the reason why the context is not live; empty if it is live or the reason is not known.
   */
  public String reason() {
    return unservedReason.isEmpty() ? feed.why() : unservedReason;
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import io.stoa.feed.syncrepl.FeedStatus;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * A naming context whose changes are heard of. Immutable.
 *
 * @param context by its name; with what of it, if the directory is asked for a part only
 * @param mode how the directory tells of them
 * @param feed where they come from
 * @param realm what has been made of them
 * @param leaseAgeNanos how long ago the servers had nothing that has not been applied; below 0 if
 *     that was never known
 * @param bound how long ago it may be
 * @param marginNanos how long before it tells a position a server may have acknowledged what that
 *     does not cover
 * @param lapse why no answer rests on it though it is live; empty if that is not so
 * @param coverage by which evidence the account sees everything, or what is missing
 * @param revocations how often rights may have changed, so that all that was read before is void
 * @param derivations how often what the directory derives or repairs may have changed
 */
public record RealmReport(
    String context,
    String mode,
    FeedStatus feed,
    RealmStatus realm,
    long leaseAgeNanos,
    Duration bound,
    long marginNanos,
    String lapse,
    String coverage,
    long revocations,
    long derivations) {
  private static final String LAPSED = "lapsed";

  /** All that {@link #state} may be. */
  public static final List<String> STATES =
      Stream.concat(Stream.of(LAPSED), Arrays.stream(RealmState.values()).map(RealmReport::word))
          .toList();

  /** The same by another name. */
  public RealmReport named(String name) {
    return new RealmReport(
        name,
        mode,
        feed,
        realm,
        leaseAgeNanos,
        bound,
        marginNanos,
        lapse,
        coverage,
        revocations,
        derivations);
  }

  /** Whether changes are heard of, and answers can rest on that. */
  public boolean isLive() {
    return realm.state() == RealmState.LIVE && lapse.isEmpty();
  }

  /** In a word how what rests on it stands. */
  public String state() {
    return lapse.isEmpty() ? word(realm.state()) : LAPSED;
  }

  private static String word(RealmState state) {
    return state.name().toLowerCase(Locale.ROOT);
  }

  /** Why it is not live; empty if it is, or that is not known. */
  public String why() {
    return lapse.isEmpty() ? feed.why() : lapse;
  }
}

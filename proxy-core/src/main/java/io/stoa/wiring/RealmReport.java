// SPDX-License-Identifier: Apache-2.0
package io.stoa.wiring;

import io.stoa.feed.FeedStatus;
import io.stoa.realm.RealmStatus;
import java.time.Duration;

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
 */
public record RealmReport(
    String context,
    String mode,
    FeedStatus feed,
    RealmStatus realm,
    long leaseAgeNanos,
    Duration bound) {
  /** The same by another name. */
  RealmReport named(String name) {
    return new RealmReport(name, mode, feed, realm, leaseAgeNanos, bound);
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.event;

import java.time.Duration;

/**
 * A naming context of whose changes nobody tells, or a whole directory, as long as its naming
 * contexts are not known. Immutable.
 *
 * @param name by which people know it
 * @param why it has no feed, and what would help
 * @param bound how old answers may be
 */
public record FeedAbsence(String name, String why, Duration bound) {}

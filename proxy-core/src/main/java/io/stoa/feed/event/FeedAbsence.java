// SPDX-License-Identifier: Apache-2.0
package io.stoa.feed.event;

import java.time.Duration;

/**
 * A naming context without a change feed. Stands for a whole directory while its naming contexts
 * are not known.
 *
 * <p>Threading: immutable.
 *
 * @param name the name shown to administrators
 * @param why the reason why there is no feed, and the remedy
 * @param bound the maximum age of cached answers
 */
public record FeedAbsence(String name, String why, Duration bound) {}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.route;

import io.stoa.replay.ReplayLimits;

/**
 * What of the configuration is about ways. Immutable.
 *
 * @param follow whether referrals of writes are followed
 * @param bindAffinity whether simple binds of one name go to one server while it is up
 * @param replay what is sent again, and what is held for that
 */
public record RouteConfig(boolean follow, boolean bindAffinity, ReplayLimits replay) {}

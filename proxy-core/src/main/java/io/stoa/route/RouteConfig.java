// SPDX-License-Identifier: Apache-2.0
package io.stoa.route;

import io.stoa.upstream.ReplayConfig;

/**
 * What of the configuration is about ways. Immutable.
 *
 * @param follow whether referrals of writes are followed
 * @param replay what is sent again, and to which server
 */
public record RouteConfig(boolean follow, ReplayConfig replay) {}

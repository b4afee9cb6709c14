// SPDX-License-Identifier: Apache-2.0
package io.stoa.route;

import io.stoa.upstream.ReplayConfig;
import java.time.Duration;

/**
 * What of the configuration is about ways. Immutable.
 *
 * @param follow whether referrals of writes are followed
 * @param replay what is sent again, and to which server
 * @param operationTimeout how long an operation may take until it is not sent again any more
 * @param held how much of results is held until their end
 */
public record RouteConfig(
    boolean follow, ReplayConfig replay, Duration operationTimeout, Held held) {
  /**
   * How much of results is held, so that they can be asked for again. Immutable.
   *
   * @param entries of one result
   * @param octets of one result
   * @param ofLoop octets on one event loop
   */
  public record Held(int entries, int octets, long ofLoop) {}
}

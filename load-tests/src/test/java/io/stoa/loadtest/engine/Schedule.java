// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.engine;

import io.gatling.javaapi.core.Session;
import java.time.Duration;

/** When the virtual users of a paced scenario mean to send. Stateless. */
public final class Schedule {
  private Schedule() {}

  /**
   * How long a user waits for its next request to be due, which is one interval after the one
   * before was due, however late that one was; its first is due at random within an interval. The
   * latency of the request that follows counts from then.
   */
  public static Duration untilDue(Session session, Duration interval) {
    return LdapComponents.own(session.asScala()).untilDue(interval);
  }
}

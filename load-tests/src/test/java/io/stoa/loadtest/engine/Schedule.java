// SPDX-License-Identifier: Apache-2.0
package io.stoa.loadtest.engine;

import io.gatling.javaapi.core.Session;
import java.time.Duration;

/** Due times of the virtual users of a paced scenario. Threading: stateless. */
public final class Schedule {
  private Schedule() {}

  /**
   * Returns the time until a user's next request is due. A request is due one interval after the
   * previous one was due, even if that one was late. The first one is due at a random time within
   * an interval. The latency of the next request counts from its due time.
   */
  public static Duration untilDue(Session session, Duration interval) {
    return LdapComponents.own(session.asScala()).untilDue(interval);
  }
}

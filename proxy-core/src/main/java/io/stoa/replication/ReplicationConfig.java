// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import java.time.Duration;

/**
 * What is done about replicas that are behind. Immutable.
 *
 * @param session whose writes whose reads must show
 * @param maxLag a replica that is further behind gets no reads until it has caught up
 * @param interval how often servers are asked how far they have got, while anything is written
 */
public record ReplicationConfig(Session session, Duration maxLag, Duration interval) {
  /** Sessions are identities; ten seconds. */
  public static final ReplicationConfig DEFAULTS =
      new ReplicationConfig(Session.IDENTITY, Duration.ofSeconds(10), Duration.ofMillis(250));

  public ReplicationConfig {
    if (maxLag.isZero() || maxLag.isNegative()) {
      throw new IllegalArgumentException("maxLag must be longer than 0");
    }
    if (interval.toMillis() < 10) {
      throw new IllegalArgumentException("interval must be at least 10 ms");
    }
    if (interval.compareTo(maxLag) >= 0) {
      throw new IllegalArgumentException("interval must be shorter than maxLag");
    }
  }

  /** Who counts as one who reads what it has written. */
  public enum Session {
    /** All connections of one identity. */
    IDENTITY,
    /** One connection. */
    CONNECTION,
    /** All clients together. */
    PROXY
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.replication;

import static io.stoa.net.transport.InvalidConfigException.refuse;
import static io.stoa.net.transport.InvalidConfigException.requirePositive;

import java.time.Duration;

/**
 * How lagging replicas are treated. Immutable.
 *
 * @param session scope within which reads must show earlier writes
 * @param maxLag a replica with more lag gets no reads until it has caught up
 * @param interval time between position requests to a server while writes occur
 */
public record ReplicationConfig(SessionScope session, Duration maxLag, Duration interval) {
  /** Defaults: sessions are identities, maximum lag 10 s, interval 250 ms. */
  public static final ReplicationConfig DEFAULTS =
      new ReplicationConfig(SessionScope.IDENTITY, Duration.ofSeconds(10), Duration.ofMillis(250));

  public ReplicationConfig {
    requirePositive("maxLag", maxLag);
    refuse(interval.toMillis() < 10, "interval", " must be at least 10 ms");
    refuse(interval.compareTo(maxLag) >= 0, "interval", " must be shorter than ", "maxLag");
  }

  /** Scope of a session: its reads show its own writes. */
  public enum SessionScope {
    /** All connections of one identity. */
    IDENTITY,
    /** One connection. */
    CONNECTION,
    /** All clients together. */
    PROXY
  }
}

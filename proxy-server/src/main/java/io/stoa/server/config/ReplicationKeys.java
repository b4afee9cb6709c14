// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import static io.stoa.server.config.value.ValueTypes.DURATION;

import io.stoa.replication.ReplicationConfig;
import io.stoa.replication.ReplicationConfig.SessionScope;
import io.stoa.server.config.value.ValueTypes;
import java.time.Duration;

/** The keys of the section {@code replication}. Threading: immutable. */
final class ReplicationKeys {
  static final KeySection KEYS = new KeySection("replication.");

  private static final ReplicationConfig REPLICATION = ReplicationConfig.DEFAULTS;

  static final ConfigKey<SessionScope> SESSION =
      KEYS.key(
          "session",
          ValueTypes.choice(SessionScope.class),
          REPLICATION.session(),
          "Scope of a session for read-your-writes and monotonic reads: identity (all its"
              + " connections), connection, or proxy (all clients together).");
  static final ConfigKey<Duration> MAX_LAG =
      KEYS.key(
          "maxLag",
          DURATION,
          REPLICATION.maxLag(),
          "Maximum lag of a replica. A replica with more lag gets no reads until it has caught"
              + " up.");
  static final ConfigKey<Duration> INTERVAL =
      KEYS.key(
          "interval",
          DURATION,
          REPLICATION.interval(),
          "Interval at which servers' replication positions are read; four times as long while"
              + " nothing is written. Not read with a single server. At least 10 ms, and less"
              + " than replication.maxLag.");

  private ReplicationKeys() {}

  /** Builds the section's configuration. */
  static ReplicationConfig assemble(Settings settings) {
    return new ReplicationConfig(
        settings.get(SESSION), settings.get(MAX_LAG), settings.get(INTERVAL));
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import static io.stoa.server.config.value.ValueTypes.BOOLEAN;
import static io.stoa.server.config.value.ValueTypes.DURATION;
import static io.stoa.server.config.value.ValueTypes.INT_SIZE;
import static io.stoa.server.config.value.ValueTypes.NUMBER;
import static io.stoa.server.config.value.ValueTypes.TEXT;

import io.stoa.replication.ReplicationConfig;
import io.stoa.replication.ReplicationConfig.SessionScope;
import io.stoa.server.config.value.ValueType;
import io.stoa.server.config.value.ValueType.Sequence;
import io.stoa.server.config.value.ValueTypes;
import io.stoa.upstream.balancing.BalanceConfig;
import io.stoa.upstream.balancing.BalanceConfig.Reads;
import io.stoa.upstream.balancing.Balancing;
import io.stoa.upstream.balancing.ServerOverride;
import io.stoa.upstream.connection.ProbeConfig;
import io.stoa.upstream.pool.ReplayConfig;
import io.stoa.upstream.pool.ReplayConfig.UnknownOutcome;
import io.stoa.upstream.pool.UpstreamConfig;
import io.stoa.upstream.server.ServerAddress;
import java.time.Duration;
import java.util.List;

/** The keys about the use of directory servers. Threading: immutable. */
final class UpstreamKeys {
  static final KeySection KEYS = new KeySection("upstream.");

  private static final ServerAddress EXAMPLE = new ServerAddress("127.0.0.1", 389);
  private static final UpstreamConfig DEFAULTS = UpstreamConfig.of(List.of(EXAMPLE));

  static final ConfigKey<List<ServerItem>> SERVERS =
      KEYS.required(
          "servers",
          ServerItem.TYPE,
          List.of(ServerItem.of(EXAMPLE)),
          "Directory servers, as URLs or with the fields below. Writes go to the server with role:"
              + " primary, or else to the first one.");
  static final ConfigKey<List<Balancing>> STRATEGIES =
      KEYS.key(
          "strategies",
          new Sequence<>(ValueTypes.choice(Balancing.class), false),
          DEFAULTS.balance().strategies(),
          "Load balancing strategy of the first tier, the second, and so on. The last one applies"
              + " to all further tiers.");
  static final ConfigKey<Reads> READS =
      KEYS.key(
          "reads",
          ValueTypes.choice(Reads.class),
          DEFAULTS.balance().reads(),
          "Servers for reads: all, or replicas (primaries only while no replica is available).");
  static final ConfigKey<Duration> SLOW_START =
      KEYS.live(
          "slowStart",
          DURATION,
          DEFAULTS.balance().slowStart(),
          "Time after its recovery in which a server's share of the load rises to its full weight."
              + " 0: none.");
  static final ConfigKey<Duration> EJECTION =
      KEYS.live(
          "ejection",
          DURATION,
          DEFAULTS.balance().ejection(),
          "Duration of a server's first ejection; later ones are longer. Causes are busy or"
              + " unavailable as answers, or reads far slower than those of its tier. 0 disables"
              + " ejection.");
  static final ConfigKey<Integer> MAX_IN_FLIGHT =
      KEYS.live(
          "maxInFlight",
          NUMBER,
          DEFAULTS.balance().maxInFlight(),
          "Maximum number of operations in flight at one server, over all connections; further ones"
              + " wait. 0: adaptive, lowered when the server answers busy or unavailable.");
  static final ConfigKey<Duration> CONNECT_TIMEOUT =
      KEYS.key(
          "connectTimeout",
          DURATION,
          DEFAULTS.connectTimeout(),
          "Maximum time to open and bind a connection to a directory server.");
  static final ConfigKey<Duration> OPERATION_TIMEOUT =
      KEYS.live(
          "operationTimeout",
          DURATION,
          DEFAULTS.operationTimeout(),
          "Maximum time without a response to an operation; persistent searches are exempt.");
  static final ConfigKey<Duration> ATTEMPT_TIMEOUT =
      KEYS.live(
          "attemptTimeout",
          DURATION,
          DEFAULTS.attemptTimeout(),
          "Time without a response to a read after which the server's health is checked. If the"
              + " check is not answered within 250 ms, the read is retried on another server.");
  static final ConfigKey<Duration> BIND_TIMEOUT =
      KEYS.live(
          "bindTimeout",
          DURATION,
          DEFAULTS.bindTimeout(),
          "Time without a response to a client's simple bind after which it is sent once more on"
              + " another connection. At operationTimeout or above, it is not sent again.");
  static final ConfigKey<Integer> MAX_CONNECTIONS =
      KEYS.live(
          "maxConnections",
          NUMBER,
          DEFAULTS.maxConnections(),
          "Maximum number of connections to one directory server, without those of passthrough://"
              + " listeners.");
  static final ConfigKey<List<ServerOverride>> OVERRIDES =
      KEYS.live(
          "overrides",
          new Sequence<>(
              new ValueType.Scalar<>(
                  "URL [drained|used] [weight NUMBER]",
                  ServerOverride::parse,
                  ServerOverride::toString),
              true,
              "ldaps://ldap1.example.com used weight 2"),
          List.of(),
          "Overrides of upstream.servers for single servers: drained or used, and the weight.");
  static final ConfigKey<Integer> MAX_IN_FLIGHT_PER_CONNECTION =
      KEYS.live(
          "maxInFlightPerConnection",
          NUMBER,
          DEFAULTS.maxInFlightPerConnection(),
          "Maximum number of unanswered operations on one connection. Stoa uses less for a server"
              + " that closes connections with fewer (`docs/reference/balancing.md`).");
  static final ConfigKey<Integer> MAX_RESPONSE =
      KEYS.key(
          "maxResponse",
          INT_SIZE,
          DEFAULTS.maxResponse(),
          "Maximum size of a message from a directory server; a larger one closes its connection."
              + " Messages above 1 MiB are streamed to the client and take no memory.");
  static final ConfigKey<Integer> QUEUE_LIMIT =
      KEYS.live(
          "queueLimit",
          NUMBER,
          DEFAULTS.queueLimit(),
          "Maximum number of operations that wait for a connection or a turn; further ones are"
              + " answered busy. One identity may use eight ninths of the queue; several share it"
              + " equally. At least limits.operationsInFlight.");
  static final ConfigKey<Duration> QUEUE_TIMEOUT =
      KEYS.live(
          "queueTimeout",
          DURATION,
          DEFAULTS.queueTimeout(),
          "Maximum time that an operation waits for a connection or a turn before it is answered"
              + " busy.");
  static final ConfigKey<Duration> WRITE_COHERENCE =
      KEYS.live(
          "writeCoherence",
          DURATION,
          DEFAULTS.writeCoherence(),
          "Time after a write in which reads in its naming context go to the primary, for servers"
              + " that do not report their replication position. 0 disables it.");
  static final ConfigKey<Boolean> KEEP_PASSWORDS =
      KEYS.key(
          "keepPasswords",
          BOOLEAN,
          DEFAULTS.keepPasswords(),
          "Storage of a connected client's password, outside the heap, for a rebind after a lost"
              + " connection. False: such a client is disconnected, and all clients bind at the"
              + " primary.");
  static final ConfigKey<Boolean> BIND_AFFINITY =
      KEYS.live(
          "bindAffinity",
          BOOLEAN,
          DEFAULTS.replay().bindAffinity(),
          "One server for all simple binds of a name while that server is up, so that it counts all"
              + " wrong passwords. False: each server allows the full number.");
  static final ConfigKey<UnknownOutcome> UNKNOWN_OUTCOME =
      KEYS.live(
          "unknownOutcome",
          ValueTypes.choice(UnknownOutcome.class),
          DEFAULTS.replay().unknownOutcome(),
          "Response to a write whose outcome is unknown: other (result code 80), or disconnect (the"
              + " client's connection is closed).");
  static final ConfigKey<Boolean> HEDGE =
      KEYS.live(
          "hedge",
          BOOLEAN,
          DEFAULTS.replay().hedge(),
          "Hedging: a search or compare also goes to a second server if the first exceeds its 95th"
              + " percentile of latency. The first complete answer counts. At most 5% of requests"
              + " are hedged.");

  /** The keys of the section {@code probe}. Threading: immutable. */
  static final class Probe {
    static final KeySection KEYS = new KeySection("probe.");

    private static final ProbeConfig PROBE = ProbeConfig.DEFAULTS;

    static final ConfigKey<String> BIND_DN =
        KEYS.key(
            "bindDn",
            ValueTypes.DN,
            PROBE.bindDn(),
            "DN for health checks. Empty: anonymous, or the service account if there is one.");
    static final ConfigKey<String> PASSWORD_FILE =
        KEYS.key(
            "passwordFile",
            IdentityKeys.PASSWORD_FILE,
            PROBE.passwordFile(),
            "File with the password of probe.bindDn and nothing else; reread when a server refuses"
                + " the password.");
    static final ConfigKey<String> BASE =
        KEYS.key(
            "base",
            ValueTypes.DN,
            PROBE.base(),
            "DN of the entry that health checks read; a server without it is down. Empty: the root"
                + " DSE. Without probe.base, probe.filter and probe.expect, any answer counts as"
                + " up.");
    static final ConfigKey<String> FILTER =
        KEYS.key(
            "filter",
            TEXT,
            PROBE.filter(),
            "Filter that the entry of the health check must match.");
    static final ConfigKey<String> EXPECT =
        KEYS.key(
            "expect",
            TEXT,
            PROBE.expect(),
            "ATTRIBUTE=VALUE that the entry of the health check must have, regardless of case.");
    static final ConfigKey<Duration> INTERVAL =
        KEYS.key(
            "interval",
            DURATION,
            PROBE.interval(),
            "Interval of health checks of a server in use. A read without an answer triggers a"
                + " further one.");

    static final ConfigKey<ProbeConfig.Mismatch> MISMATCH =
        KEYS.key(
            "mismatch",
            ValueTypes.choice(ProbeConfig.Mismatch.class),
            PROBE.mismatch(),
            "Handling of a server whose contents differ from the first server of its directory:"
                + " warn, or refuse to use it. Naming contexts and the entryUUIDs of their top"
                + " entries are compared.");

    private Probe() {}

    /** Builds the section's configuration. */
    static ProbeConfig assemble(Settings settings) {
      return new ProbeConfig(
          settings.get(BIND_DN),
          settings.get(PASSWORD_FILE),
          settings.get(BASE),
          settings.get(FILTER),
          settings.get(EXPECT),
          settings.get(INTERVAL),
          settings.get(MISMATCH));
    }
  }

  /** The keys of the section {@code replication}. Threading: immutable. */
  static final class ReplicationKeys {
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

  private UpstreamKeys() {}

  /** Builds the configuration of the directory servers. */
  static UpstreamConfig assemble(Settings settings) {
    return new UpstreamConfig(
        ServerOverride.apply(ServerItem.specs(settings.get(SERVERS)), settings.get(OVERRIDES)),
        new BalanceConfig(
            settings.get(STRATEGIES),
            settings.get(READS),
            settings.get(SLOW_START),
            settings.get(EJECTION),
            settings.get(MAX_IN_FLIGHT)),
        Probe.assemble(settings),
        ReplicationKeys.assemble(settings),
        settings.get(CONNECT_TIMEOUT),
        settings.get(OPERATION_TIMEOUT),
        settings.get(ATTEMPT_TIMEOUT),
        settings.get(BIND_TIMEOUT),
        settings.get(MAX_CONNECTIONS),
        settings.get(MAX_IN_FLIGHT_PER_CONNECTION),
        settings.get(MAX_RESPONSE),
        settings.get(QUEUE_LIMIT),
        settings.get(QUEUE_TIMEOUT),
        settings.get(WRITE_COHERENCE),
        settings.get(KEEP_PASSWORDS),
        IdentityKeys.assemble(settings),
        TransportKeys.transport(settings),
        new ReplayConfig(
            settings.get(BIND_AFFINITY), settings.get(UNKNOWN_OUTCOME), settings.get(HEDGE)),
        TransportKeys.names(settings));
  }
}

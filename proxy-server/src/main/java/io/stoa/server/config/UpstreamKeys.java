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
import java.util.Set;

/** The keys about the use of directory servers. Threading: immutable. */
final class UpstreamKeys {
  private static final UpstreamConfig DEFAULTS =
      UpstreamConfig.of(List.of(new ServerAddress("127.0.0.1", 389)));

  static final ConfigKey<List<Balancing>> STRATEGIES =
      key(
          "strategies",
          new Sequence<>(ValueTypes.choice(Balancing.class), false),
          DEFAULTS.balance().strategies(),
          "How the server of an operation is chosen in the first tier, in the second, and so on; the"
              + " last one is also for all further tiers.");
  static final ConfigKey<Reads> READS =
      key(
          "reads",
          ValueTypes.choice(Reads.class),
          DEFAULTS.balance().reads(),
          "Whether primaries answer reads like all others, or only while no replica can.");
  static final ConfigKey<Duration> SLOW_START =
      key(
          "slowStart",
          DURATION,
          DEFAULTS.balance().slowStart(),
          "How long it takes after its return until a server is given its whole part of the work.");
  static final ConfigKey<Duration> EJECTION =
      key(
          "ejection",
          DURATION,
          DEFAULTS.balance().ejection(),
          "How long a server is not used that answers busy or unavailable, or is far slower than"
              + " the others of its tier; longer each time; 0 is off.");
  static final ConfigKey<Integer> MAX_IN_FLIGHT =
      key(
          "maxInFlight",
          NUMBER,
          DEFAULTS.balance().maxInFlight(),
          "Most operations that one server is given at once, over all connections; further ones wait."
              + " 0 is as many as it tolerates: fewer as soon as it answers busy or unavailable.");
  static final ConfigKey<Duration> CONNECT_TIMEOUT =
      key(
          "connectTimeout",
          DURATION,
          DEFAULTS.connectTimeout(),
          "How long a connection to a directory server may take to be made and bound.");
  static final ConfigKey<Duration> OPERATION_TIMEOUT =
      key(
          "operationTimeout",
          DURATION,
          DEFAULTS.operationTimeout(),
          "How long a server may be silent on an operation; persistent searches are exempt.");
  static final ConfigKey<Duration> ATTEMPT_TIMEOUT =
      key(
          "attemptTimeout",
          DURATION,
          DEFAULTS.attemptTimeout(),
          "How long a server may be silent on a read before it is asked whether it is there; if it"
              + " does not say so within 250 ms, the read goes to another.");
  static final ConfigKey<Duration> BIND_TIMEOUT =
      key(
          "bindTimeout",
          DURATION,
          DEFAULTS.bindTimeout(),
          "How long a server may be silent on a client's simple bind before that is sent once more on"
              + " another connection; from operationTimeout on it is given up like any other"
              + " operation.");
  static final ConfigKey<Integer> MAX_CONNECTIONS =
      key(
          "maxConnections",
          NUMBER,
          DEFAULTS.maxConnections(),
          "Most connections to one directory server, those of passthrough:// listeners aside.");
  static final ConfigKey<List<ServerOverride>> OPERATED =
      key(
          "operated",
          new Sequence<>(
              new ValueType.Scalar<>(
                  "URL [drained|used] [weight NUMBER]",
                  ServerOverride::parse,
                  ServerOverride::toString),
              true,
              "ldaps://ldap1.example.com used weight 2"),
          List.of(),
          "How servers are used now, whatever upstreams says: drained or used, and the weight.");
  static final ConfigKey<Integer> MAX_OUTSTANDING =
      key(
          "maxOutstanding",
          NUMBER,
          DEFAULTS.maxOutstanding(),
          "Most unanswered operations on one connection. Stoa sends fewer to a server that ends connections"
              + " with fewer (`docs/reference/balancing.md`).");
  static final ConfigKey<Integer> MAX_RESPONSE =
      key(
          "maxResponse",
          INT_SIZE,
          DEFAULTS.maxResponse(),
          "Largest message of a directory server; at a larger one its connection is closed. One above"
              + " 1 MiB is passed on as it arrives, so it takes no memory.");
  static final ConfigKey<Integer> QUEUE_LIMIT =
      key(
          "queueLimit",
          NUMBER,
          DEFAULTS.queueLimit(),
          "Most operations that wait for a connection or their turn; further ones are answered busy. One"
              + " name gets eight ninths of it at most, and of several each as many.");
  static final ConfigKey<Duration> QUEUE_TIMEOUT =
      key(
          "queueTimeout",
          DURATION,
          DEFAULTS.queueTimeout(),
          "How long an operation may wait for a connection, or its turn, before it is answered busy.");
  static final ConfigKey<Duration> WRITE_COHERENCE =
      key(
          "writeCoherence",
          DURATION,
          DEFAULTS.writeCoherence(),
          "How long after a write all reads in its naming context go to the primary, of servers that do"
              + " not tell how far they have got; 0 is off.");
  static final ConfigKey<Boolean> KEEP_PASSWORDS =
      key(
          "keepPasswords",
          BOOLEAN,
          DEFAULTS.keepPasswords(),
          "Keep a connected client's password, off the heap, to bind again where its connection"
              + " is lost; if not, such a client is disconnected, and clients bind on the primary.");
  static final ConfigKey<Boolean> BIND_AFFINITY =
      key(
          "bindAffinity",
          BOOLEAN,
          DEFAULTS.replay().bindAffinity(),
          "Send all simple binds of one name to one server while it is up, where it counts wrong"
              + " passwords; if not, each server allows as many.");
  static final ConfigKey<UnknownOutcome> UNKNOWN_OUTCOME =
      key(
          "unknownOutcome",
          ValueTypes.choice(UnknownOutcome.class),
          DEFAULTS.replay().unknownOutcome(),
          "What the client of a write hears if nobody knows whether it happened: the result other"
              + " (80), or nothing, as its connection ends.");
  static final ConfigKey<Boolean> HEDGE =
      key(
          "hedge",
          BOOLEAN,
          DEFAULTS.replay().hedge(),
          "Ask a second server, too, when a search or compare has waited for longer than 95 of 100 at"
              + " its server; the first whole answer counts. At most one in twenty is asked twice.");

  /** All keys of the section {@code upstream} in this class, in the order of the documentation. */
  static final List<ConfigKey<?>> ALL =
      List.of(
          STRATEGIES,
          READS,
          SLOW_START,
          EJECTION,
          MAX_IN_FLIGHT,
          CONNECT_TIMEOUT,
          OPERATION_TIMEOUT,
          ATTEMPT_TIMEOUT,
          BIND_TIMEOUT,
          MAX_CONNECTIONS,
          OPERATED,
          MAX_OUTSTANDING,
          MAX_RESPONSE,
          QUEUE_LIMIT,
          QUEUE_TIMEOUT,
          WRITE_COHERENCE,
          KEEP_PASSWORDS,
          BIND_AFFINITY,
          UNKNOWN_OUTCOME,
          HEDGE);

  /** The keys that can change while Stoa runs. */
  static final Set<ConfigKey<?>> LIVE =
      Set.of(
          SLOW_START,
          EJECTION,
          MAX_IN_FLIGHT,
          OPERATION_TIMEOUT,
          ATTEMPT_TIMEOUT,
          BIND_TIMEOUT,
          MAX_CONNECTIONS,
          MAX_OUTSTANDING,
          QUEUE_LIMIT,
          QUEUE_TIMEOUT,
          WRITE_COHERENCE,
          BIND_AFFINITY,
          UNKNOWN_OUTCOME,
          HEDGE,
          OPERATED);

  /** The keys of the section {@code probe}. Threading: immutable. */
  static final class Probe {
    private static final ProbeConfig PROBE = ProbeConfig.DEFAULTS;

    static final ConfigKey<String> BIND_DN =
        ConfigKey.optional(
            "probe.bindDn",
            ValueTypes.DN,
            PROBE.bindDn(),
            "As whom servers are asked for signs of life; none given, as nobody, or as the service"
                + " account.");
    static final ConfigKey<String> PASSWORD_FILE =
        ConfigKey.optional(
            "probe.passwordFile",
            IdentityKeys.PASSWORD_FILE,
            PROBE.passwordFile(),
            "The file that holds its password and nothing else; read again when a server refuses"
                + " the password.");
    static final ConfigKey<String> BASE =
        ConfigKey.optional(
            "probe.base",
            ValueTypes.DN,
            PROBE.base(),
            "An entry that a server must have, or it is down; none given, the root DSE. If neither"
                + " this nor the next two are given, any answer is a sign of life.");
    static final ConfigKey<String> FILTER =
        ConfigKey.optional(
            "probe.filter", TEXT, PROBE.filter(), "A filter that the entry must match.");
    static final ConfigKey<String> EXPECT =
        ConfigKey.optional(
            "probe.expect",
            TEXT,
            PROBE.expect(),
            "ATTRIBUTE=VALUE that the entry must have, in large or small letters.");
    static final ConfigKey<Duration> INTERVAL =
        ConfigKey.optional(
            "probe.interval",
            DURATION,
            PROBE.interval(),
            "How often a server that is used is asked, beside when a read has no answer.");

    static final ConfigKey<ProbeConfig.Mismatch> MISMATCH =
        ConfigKey.optional(
            "probe.mismatch",
            ValueTypes.choice(ProbeConfig.Mismatch.class),
            PROBE.mismatch(),
            "A server whose naming contexts, or the identifiers of their top entries, differ from"
                + " those of the first server of its directory: warn, or refuse to use it.");

    /** All keys of the section. */
    static final List<ConfigKey<?>> ALL =
        List.of(BIND_DN, PASSWORD_FILE, BASE, FILTER, EXPECT, INTERVAL, MISMATCH);

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
  static final class Replication {
    private static final ReplicationConfig REPLICATION = ReplicationConfig.DEFAULTS;

    static final ConfigKey<SessionScope> SESSION =
        key(
            "session",
            ValueTypes.choice(SessionScope.class),
            REPLICATION.session(),
            "Whose reads show what they have written, and nothing older than what they have read:"
                + " all connections of an identity, each connection, or all clients together.");
    static final ConfigKey<Duration> MAX_LAG =
        key(
            "maxLag",
            DURATION,
            REPLICATION.maxLag(),
            "A replica that is further behind gets no reads until it has caught up.");
    static final ConfigKey<Duration> INTERVAL =
        key(
            "interval",
            DURATION,
            REPLICATION.interval(),
            "How often servers are asked how far they have got; a quarter as often while nothing"
                + " is written. With one server none is asked.");

    /** All keys of the section. */
    static final List<ConfigKey<?>> ALL = List.of(SESSION, MAX_LAG, INTERVAL);

    private Replication() {}

    private static <T> ConfigKey<T> key(String name, ValueType<T> type, T value, String meaning) {
      return new ConfigKey<>("replication." + name, type, value, false, meaning);
    }

    /** Builds the section's configuration. */
    static ReplicationConfig assemble(Settings settings) {
      return new ReplicationConfig(
          settings.get(SESSION), settings.get(MAX_LAG), settings.get(INTERVAL));
    }
  }

  private UpstreamKeys() {}

  private static <T> ConfigKey<T> key(String name, ValueType<T> type, T value, String meaning) {
    return new ConfigKey<>("upstream." + name, type, value, false, meaning);
  }

  /** Builds the configuration of the directory servers. */
  static UpstreamConfig assemble(Settings settings) {
    return new UpstreamConfig(
        ServerOverride.apply(
            ServerItem.specs(settings.get(ConfigKeys.UPSTREAMS)), settings.get(OPERATED)),
        new BalanceConfig(
            settings.get(STRATEGIES),
            settings.get(READS),
            settings.get(SLOW_START),
            settings.get(EJECTION),
            settings.get(MAX_IN_FLIGHT)),
        Probe.assemble(settings),
        Replication.assemble(settings),
        settings.get(CONNECT_TIMEOUT),
        settings.get(OPERATION_TIMEOUT),
        settings.get(ATTEMPT_TIMEOUT),
        settings.get(BIND_TIMEOUT),
        settings.get(MAX_CONNECTIONS),
        settings.get(MAX_OUTSTANDING),
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

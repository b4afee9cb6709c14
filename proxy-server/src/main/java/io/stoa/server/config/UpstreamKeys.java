// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import static io.stoa.server.config.value.ValueTypes.BOOLEAN;
import static io.stoa.server.config.value.ValueTypes.DURATION;
import static io.stoa.server.config.value.ValueTypes.INT_SIZE;
import static io.stoa.server.config.value.ValueTypes.NUMBER;
import static io.stoa.server.config.value.ValueTypes.TEXT;

import io.stoa.server.config.value.JsonSchema;
import io.stoa.server.config.value.ValueType;
import io.stoa.server.config.value.ValueType.Sequence;
import io.stoa.server.config.value.ValueTypes;
import io.stoa.upstream.balancing.BalanceConfig;
import io.stoa.upstream.balancing.BalanceConfig.Reads;
import io.stoa.upstream.balancing.Balancing;
import io.stoa.upstream.balancing.ServerOverride;
import io.stoa.upstream.connect.NamesConfig;
import io.stoa.upstream.connect.UpstreamTransport;
import io.stoa.upstream.pool.ReplayConfig;
import io.stoa.upstream.pool.ReplayConfig.UnknownOutcome;
import io.stoa.upstream.pool.UpstreamConfig;
import io.stoa.upstream.server.ServerAddress;
import java.time.Duration;
import java.util.List;

/** The keys of the section {@code upstream}. Threading: immutable. */
final class UpstreamKeys {
  static final KeySection KEYS = new KeySection("upstream.");

  private static final ServerAddress EXAMPLE = new ServerAddress("127.0.0.1", 389);

  private static final UpstreamConfig DEFAULTS = UpstreamConfig.of(List.of(EXAMPLE));

  private static final UpstreamTransport TRANSPORT = UpstreamTransport.DEFAULTS;

  private static final NamesConfig NAMES = NamesConfig.DEFAULTS;

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
                  JsonSchema.string(
                      "\\s*"
                          + ValueTypes.SERVER_FORM
                          + "(?: +(?:drained|used))?(?: +weight +\\d{1,9})?\\s*"),
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

  static final ConfigKey<String> NAME_SERVER =
      KEYS.key(
          "nameServer",
          TEXT,
          NAMES.nameServer(),
          "DNS server, ADDRESS or ADDRESS:PORT, for the servers of a domain (ldap+srv://DOMAIN)."
              + " Empty: the system's.");

  static final ConfigKey<Duration> RESOLVE_INTERVAL =
      KEYS.key(
          "resolveInterval",
          DURATION,
          NAMES.resolveInterval(),
          "Interval of the DNS lookups for ldap+srv:// and ldaps+srv://.");

  static final ConfigKey<Duration> IDLE_TIMEOUT =
      KEYS.live(
          "idleTimeout",
          DURATION,
          TRANSPORT.idleTimeout(),
          "Time after which an idle connection to a server is closed; 0: never.");

  static final ConfigKey<Duration> MAX_AGE =
      KEYS.live(
          "maxConnectionAge",
          DURATION,
          TRANSPORT.maxAge(),
          "Maximum age of a connection to a server. An older one is replaced when nothing is in"
              + " flight on it. Some are replaced up to a quarter earlier, so that not all end at"
              + " once. 0: unlimited.");

  static final ConfigKey<Integer> MAX_CONNECTING =
      KEYS.live(
          "maxConnecting",
          NUMBER,
          TRANSPORT.maxConnecting(),
          "Maximum number of connections to one directory server that are being opened and bound at"
              + " once; further ones wait.");

  static final ConfigKey<Boolean> START_TLS =
      KEYS.key(
          "startTls",
          BOOLEAN,
          TRANSPORT.startTls(),
          "StartTLS on connections to ldap:// servers, before anything else is sent.");

  static final ConfigKey<Boolean> ALLOW_PLAIN =
      KEYS.key(
          "allowPlain",
          BOOLEAN,
          TRANSPORT.allowPlain(),
          "Permission to forward binds that came over TLS without TLS to servers on other"
              + " machines.");

  static final ConfigKey<Boolean> PROXY_PROTOCOL =
      KEYS.key(
          "proxyProtocol",
          BOOLEAN,
          TRANSPORT.proxyProtocol(),
          "PROXY protocol header (version 2) at the start of each connection. Servers must expect"
              + " it.");

  static final ConfigKey<Boolean> SESSION_TRACKING =
      KEYS.key(
          "sessionTracking",
          BOOLEAN,
          TRANSPORT.sessionTracking(),
          "Session tracking control on requests to servers, with the client's address and name.");

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
        ProbeKeys.assemble(settings),
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
        transport(settings),
        new ReplayConfig(
            settings.get(BIND_AFFINITY), settings.get(UNKNOWN_OUTCOME), settings.get(HEDGE)),
        names(settings));
  }

  /** Builds the configuration of name lookups. */
  private static NamesConfig names(Settings settings) {
    return new NamesConfig(settings.get(NAME_SERVER), settings.get(RESOLVE_INTERVAL));
  }

  /** Builds the configuration of the transport. */
  private static UpstreamTransport transport(Settings settings) {
    return new UpstreamTransport(
        settings.get(START_TLS),
        UpstreamTlsKeys.assemble(settings),
        settings.get(UpstreamTlsKeys.VERIFY_HOST),
        settings.get(ALLOW_PLAIN),
        settings.get(PROXY_PROTOCOL),
        settings.get(SESSION_TRACKING),
        settings.get(IDLE_TIMEOUT),
        settings.get(MAX_AGE),
        settings.get(MAX_CONNECTING));
  }
}

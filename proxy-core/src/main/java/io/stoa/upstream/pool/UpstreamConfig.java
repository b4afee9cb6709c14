// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

import static io.stoa.net.transport.InvalidConfigException.refuse;
import static io.stoa.net.transport.InvalidConfigException.requireAtLeast;
import static io.stoa.net.transport.InvalidConfigException.requireNotNegative;
import static io.stoa.net.transport.InvalidConfigException.requirePositive;

import io.stoa.net.transport.InvalidConfigException;
import io.stoa.replication.ReplicationConfig;
import io.stoa.upstream.auth.IdentityConfig;
import io.stoa.upstream.auth.ServiceMechanism;
import io.stoa.upstream.balancing.BalanceConfig;
import io.stoa.upstream.balancing.ServerSpec;
import io.stoa.upstream.connect.NamesConfig;
import io.stoa.upstream.connect.UpstreamTransport;
import io.stoa.upstream.connection.ProbeConfig;
import io.stoa.upstream.server.ServerAddress;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Configuration of the directory servers, and of the connections and operations that they get.
 *
 * <p>Threading: immutable.
 *
 * @param servers the directory servers
 * @param balance load balancing
 * @param probe health checks
 * @param replication treatment of replicas that lag
 * @param connectTimeout time-out for opening and binding a connection
 * @param operationTimeout longest silence of a server on an operation before it is given up;
 *     persistent and sync searches are exempt
 * @param attemptTimeout longest silence of a server on a read before a health check; if that is not
 *     answered at once either, the read goes to another server
 * @param bindTimeout longest silence of a server on a client's simple bind before the bind is sent
 *     once more on another connection; disabled if not below {@code operationTimeout}
 * @param maxConnections maximum number of connections to one server
 * @param maxInFlightPerConnection maximum number of unanswered operations on one connection
 * @param maxResponse largest LDAPMessage of a server in octets; no memory is reserved for it
 * @param queueLimit maximum number of operations that wait for a connection, over all servers
 * @param queueTimeout longest wait of an operation for a connection, after which it is answered
 *     busy
 * @param writeCoherence time after a write during which all reads in its naming context go to the
 *     primary
 * @param keepPasswords true to keep passwords (zeroed on release), to rebind a client whose
 *     upstream connection was lost or closed; if false, such a client is disconnected and clients
 *     bind on the primary
 * @param identity how clients' identities reach the servers
 * @param transport protection and lifetime of connections
 * @param replay retry policy
 * @param names discovery of the servers of a domain
 */
public record UpstreamConfig(
    List<ServerSpec> servers,
    BalanceConfig balance,
    ProbeConfig probe,
    ReplicationConfig replication,
    Duration connectTimeout,
    Duration operationTimeout,
    Duration attemptTimeout,
    Duration bindTimeout,
    int maxConnections,
    int maxInFlightPerConnection,
    int maxResponse,
    int queueLimit,
    Duration queueTimeout,
    Duration writeCoherence,
    boolean keepPasswords,
    IdentityConfig identity,
    UpstreamTransport transport,
    ReplayConfig replay,
    NamesConfig names) {

  public UpstreamConfig {
    servers = List.copyOf(servers);
    refuse(servers.isEmpty(), "servers", " is empty");
    refuse(
        servers.stream().map(ServerSpec::address).distinct().count() != servers.size(),
        "servers",
        " lists a server twice");
    refuse(
        servers.stream().allMatch(ServerSpec::drained),
        "servers",
        " are all drained: at least one must be in use");
    refuse(
        servers.stream().noneMatch(ServerSpec::primary),
        "servers",
        " has no primary: set role: primary for one server");
    requirePositive("connectTimeout", connectTimeout);
    requirePositive("operationTimeout", operationTimeout);
    requirePositive("attemptTimeout", attemptTimeout);
    requirePositive("bindTimeout", bindTimeout);
    requirePositive("queueTimeout", queueTimeout);
    requireNotNegative("writeCoherence", writeCoherence);
    requireAtLeast("maxConnections", maxConnections, 1);
    requireAtLeast("maxInFlightPerConnection", maxInFlightPerConnection, 1);
    requireAtLeast("maxResponse", maxResponse, 1);
    requireAtLeast("queueLimit", queueLimit, 1);
    refuse(
        transport.startTls() && addresses(servers).noneMatch(transport::usesStartTls),
        "startTls",
        " needs at least one ldap:// server");
    refuse(
        identity.isProxied() && !probe.bindDn().isEmpty(),
        "bindDn",
        " is only allowed in ",
        "mode",
        " passThrough");
    if (identity.serviceMechanism() == ServiceMechanism.EXTERNAL) {
      addresses(servers).forEach(server -> requireIdentified(server, transport));
    }
  }

  /** Rejects EXTERNAL for a server that cannot identify Stoa by the connection itself. */
  private static void requireIdentified(ServerAddress server, UpstreamTransport transport) {
    if (!transport.identifiesStoa(server)) {
      throw new InvalidConfigException(
          "serviceMechanism",
          " EXTERNAL needs TLS with upstream.tls.certificate, or ldapi://: "
              + server
              + " cannot identify Stoa");
    }
  }

  /** Returns the default configuration for the given servers; the first is the primary. */
  public static UpstreamConfig of(List<ServerAddress> servers) {
    return new UpstreamConfig(
        ServerSpec.of(servers),
        BalanceConfig.DEFAULTS,
        ProbeConfig.DEFAULTS,
        ReplicationConfig.DEFAULTS,
        Duration.ofSeconds(5),
        Duration.ofSeconds(120),
        Duration.ofMillis(500),
        Duration.ofSeconds(120),
        1_000,
        64,
        1024 * 1024 * 1024,
        10_000,
        Duration.ofSeconds(10),
        Duration.ofSeconds(5),
        true,
        IdentityConfig.PASS_THROUGH,
        UpstreamTransport.DEFAULTS,
        ReplayConfig.DEFAULTS,
        NamesConfig.DEFAULTS);
  }

  /** Returns this configuration with those settings of {@code now} that can change at a reload. */
  public UpstreamConfig withReloadable(UpstreamConfig now) {
    return new UpstreamConfig(
        servers,
        balance.withReloadable(now.balance),
        probe,
        replication,
        connectTimeout,
        now.operationTimeout,
        now.attemptTimeout,
        now.bindTimeout,
        now.maxConnections,
        now.maxInFlightPerConnection,
        maxResponse,
        now.queueLimit,
        now.queueTimeout,
        now.writeCoherence,
        keepPasswords,
        identity,
        transport.withReloadable(now.transport),
        now.replay,
        names);
  }

  /** Returns this configuration with another limit of connections to one server. */
  public UpstreamConfig maxConnections(int limit) {
    return new UpstreamConfig(
        servers,
        balance,
        probe,
        replication,
        connectTimeout,
        operationTimeout,
        attemptTimeout,
        bindTimeout,
        limit,
        maxInFlightPerConnection,
        maxResponse,
        queueLimit,
        queueTimeout,
        writeCoherence,
        keepPasswords,
        identity,
        transport,
        replay,
        names);
  }

  /** Returns this configuration with other identities of clients. */
  public UpstreamConfig identity(IdentityConfig other) {
    return new UpstreamConfig(
        servers,
        balance,
        probe,
        replication,
        connectTimeout,
        operationTimeout,
        attemptTimeout,
        bindTimeout,
        maxConnections,
        maxInFlightPerConnection,
        maxResponse,
        queueLimit,
        queueTimeout,
        writeCoherence,
        keepPasswords,
        other,
        transport,
        replay,
        names);
  }

  /** Returns the addresses of the servers. */
  public List<ServerAddress> addresses() {
    return addresses(servers).toList();
  }

  private static Stream<ServerAddress> addresses(List<ServerSpec> servers) {
    return servers.stream().map(ServerSpec::address);
  }

  /** True if any server is reached by TLS. */
  public boolean usesTls() {
    return addresses(servers).anyMatch(transport::encrypts);
  }

  /** True if any server treats Stoa's connections as protected, whatever those of clients are. */
  public boolean isProtected() {
    return addresses(servers).anyMatch(transport::isProtected);
  }

  /** Returns the servers to which passwords would go in cleartext. */
  public List<ServerAddress> exposed() {
    return addresses(servers).filter(server -> !transport.isConfidential(server)).toList();
  }

  /** True if a server must not receive secrets that clients have sent by TLS. */
  public boolean excludes(ServerAddress server) {
    return !transport.allowPlain() && !transport.isConfidential(server);
  }

  /**
   * Returns the DN of the service account. Empty if only the servers know it; null if there is no
   * service account.
   */
  public @Nullable String account() {
    return identity.isProxied() ? identity.serviceDn() : null;
  }
}

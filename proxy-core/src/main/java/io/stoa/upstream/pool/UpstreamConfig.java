// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream.pool;

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
 * The directory servers and how many connections and operations they are given. Immutable.
 *
 * @param servers the directory servers
 * @param balance how operations are spread over them
 * @param probe what they are asked for signs of life
 * @param replication what is done about replicas that are behind
 * @param connectTimeout how long a connection may take to be made and bound
 * @param operationTimeout how long a server may be silent on an operation before it is given up;
 *     persistent and sync searches are exempt
 * @param attemptTimeout how long a server may be silent on a read before it is asked whether it is
 *     there; if it does not say so at once, the read goes to another
 * @param bindTimeout how long a server may be silent on a client's simple bind before that is sent
 *     once more on another connection; from operationTimeout on it never is
 * @param maxConnections connections to one server
 * @param maxOutstanding unanswered operations on one connection
 * @param maxResponse largest LDAPMessage of a server, in octets; no memory is taken for it
 * @param queueLimit operations that may wait for a connection, in all
 * @param queueTimeout how long an operation may wait for a connection before it gets busy
 * @param writeCoherence how long after a write all reads in its naming context go to the primary
 * @param keepPasswords whether passwords are kept (zeroed on release) to bind again for a client
 *     whose upstream connection was lost or closed; without, such a client is disconnected, and
 *     clients bind on the primary
 * @param identity how clients' identities reach the servers
 * @param transport how connections are protected and kept
 * @param replay what is sent again, and to which server
 * @param names how the servers of a domain are found
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
    int maxOutstanding,
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
    if (servers.isEmpty()) {
      throw new IllegalArgumentException("upstreams has no server");
    }
    if (servers.stream().map(ServerSpec::address).distinct().count() != servers.size()) {
      throw new IllegalArgumentException("upstreams has the same server twice");
    }
    if (servers.stream().allMatch(ServerSpec::drained)) {
      throw new IllegalArgumentException("upstreams are all drained: nobody could be served");
    }
    if (servers.stream().noneMatch(ServerSpec::primary)) {
      throw new IllegalArgumentException("upstreams has no primary: give a server role: primary");
    }
    positive("connectTimeout", connectTimeout);
    positive("operationTimeout", operationTimeout);
    positive("attemptTimeout", attemptTimeout);
    positive("bindTimeout", bindTimeout);
    positive("queueTimeout", queueTimeout);
    if (writeCoherence.isNegative()) {
      throw new IllegalArgumentException("writeCoherence is negative; 0 switches it off");
    }
    atLeastOne("maxConnections", maxConnections);
    atLeastOne("maxOutstanding", maxOutstanding);
    atLeastOne("maxResponse", maxResponse);
    atLeastOne("queueLimit", queueLimit);
    if (transport.startTls() && addresses(servers).noneMatch(transport::asks)) {
      throw new IllegalArgumentException("startTls is for ldap:// servers, and there is none");
    }
    if (identity.proxied() && !probe.bindDn().isEmpty()) {
      throw new IllegalArgumentException("bindDn is only for mode passThrough");
    }
    if (identity.serviceMechanism() == ServiceMechanism.EXTERNAL) {
      addresses(servers).forEach(server -> refuseUnlessKnown(server, transport));
    }
  }

  /** Binding by EXTERNAL needs a connection by which the server knows who Stoa is. */
  private static void refuseUnlessKnown(ServerAddress server, UpstreamTransport transport) {
    if (!transport.provesStoa(server)) {
      throw new IllegalArgumentException(
          "serviceMechanism EXTERNAL needs TLS with upstream.tls.certificate, or ldapi://: "
              + server
              + " could not know who Stoa is");
    }
  }

  /** The defaults for the given servers, the first of which is the primary. */
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

  /** This with what of another one can change while Stoa runs. */
  public UpstreamConfig tuned(UpstreamConfig now) {
    return new UpstreamConfig(
        servers,
        balance.tuned(now.balance),
        probe,
        replication,
        connectTimeout,
        now.operationTimeout,
        now.attemptTimeout,
        now.bindTimeout,
        now.maxConnections,
        now.maxOutstanding,
        maxResponse,
        now.queueLimit,
        now.queueTimeout,
        now.writeCoherence,
        keepPasswords,
        identity,
        transport.tuned(now.transport),
        now.replay,
        names);
  }

  /** Returns the same with another number of connections to one server. */
  public UpstreamConfig maxConnections(int most) {
    return new UpstreamConfig(
        servers,
        balance,
        probe,
        replication,
        connectTimeout,
        operationTimeout,
        attemptTimeout,
        bindTimeout,
        most,
        maxOutstanding,
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

  /** Where the servers listen. */
  public List<ServerAddress> addresses() {
    return addresses(servers).toList();
  }

  private static Stream<ServerAddress> addresses(List<ServerSpec> servers) {
    return servers.stream().map(ServerSpec::address);
  }

  /** Whether any server is spoken to by TLS. */
  public boolean tls() {
    return addresses(servers).anyMatch(transport::encrypts);
  }

  /** Whether any server takes Stoa's connections for protected, whatever those of clients are. */
  public boolean guarded() {
    return addresses(servers).anyMatch(transport::guards);
  }

  /** The servers to which passwords would go in the clear. */
  public List<ServerAddress> exposed() {
    return addresses(servers).filter(server -> !transport.confidential(server)).toList();
  }

  /** Whether a server may not be given what clients have sent by TLS. */
  public boolean excludes(ServerAddress server) {
    return !transport.allowPlain() && !transport.confidential(server);
  }

  /**
   * DN of the account as which Stoa acts for clients; empty if servers alone know that, null if it
   * does not.
   */
  public @Nullable String account() {
    return identity.proxied() ? identity.serviceDn() : null;
  }

  private static void atLeastOne(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " " + value + " is below 1");
    }
  }

  private static void positive(String name, Duration value) {
    if (value.isZero() || value.isNegative()) {
      throw new IllegalArgumentException(name + " must be longer than 0");
    }
  }
}

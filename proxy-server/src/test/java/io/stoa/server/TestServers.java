// SPDX-License-Identifier: Apache-2.0
package io.stoa.server;

import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPException;
import io.stoa.client.listener.ListenerConfig;
import io.stoa.proxy.ProxyConfig;
import io.stoa.server.config.ManagementConfig;
import io.stoa.server.config.ServerConfig;
import io.stoa.testing.Await;
import io.stoa.testing.RawLdapClient;
import io.stoa.testing.Records;
import io.stoa.upstream.pool.UpstreamConfig;
import io.stoa.upstream.server.ServerAddress;
import java.util.List;
import java.util.stream.IntStream;

/** Servers for tests, in this process and on free ports. Stateless. */
final class TestServers {
  private static final ListenerConfig ANY_PORT = new ListenerConfig("127.0.0.1", 0);

  /** Event loops of a server: 2, so that races between loops occur on any machine. */
  static final int EVENT_LOOPS = 2;

  private TestServers() {}

  /** What a test changes before it starts a server. */
  static ServerConfig config(int... upstreamPorts) {
    List<ServerAddress> servers =
        IntStream.of(upstreamPorts).mapToObj(port -> new ServerAddress("127.0.0.1", port)).toList();
    ProxyConfig proxy = ProxyConfig.of(ANY_PORT, UpstreamConfig.of(servers));
    return ServerConfig.of(Records.with(proxy, "eventLoops", EVENT_LOOPS))
        .withManagement(new ManagementConfig(ANY_PORT, false));
  }

  /** Returns the line of a configuration file with the event loops; empty if the file has one. */
  static String eventLoops(String... lines) {
    return String.join("\n", lines).contains("eventLoops:") ? "" : "eventLoops: " + EVENT_LOOPS;
  }

  static StoaServer start(ServerConfig config) {
    try {
      return StoaServer.start(config);
    } catch (StartException e) {
      throw new AssertionError(e);
    }
  }

  /** A server whose directory servers are up. */
  static StoaServer startReady(int... upstreamPorts) {
    StoaServer server = start(config(upstreamPorts));
    Await.until("Stoa is ready", () -> server.proxy().status().ready());
    return server;
  }

  static int port(StoaServer server) {
    return server.addresses().get(0).getPort();
  }

  static RawLdapClient rawClient(StoaServer server) {
    return RawLdapClient.connect(server.addresses().get(0));
  }

  static LDAPConnection connect(StoaServer server) throws LDAPException {
    return new LDAPConnection("127.0.0.1", port(server));
  }
}

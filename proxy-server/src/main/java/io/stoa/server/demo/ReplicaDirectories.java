// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.demo;

import com.unboundid.ldap.listener.InMemoryDirectoryServer;
import com.unboundid.ldap.listener.InMemoryDirectoryServerConfig;
import com.unboundid.ldap.listener.InMemoryListenerConfig;
import com.unboundid.ldap.sdk.LDAPException;
import io.stoa.upstream.server.ServerAddress;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;

/**
 * In-memory directory servers with equal contents, on free ports of this host. A write to one is
 * applied to the others before it is answered.
 *
 * <p>Threading: thread-safe.
 */
public final class ReplicaDirectories implements AutoCloseable {
  private static final String HOST = "127.0.0.1";

  private final List<InMemoryDirectoryServer> servers = new CopyOnWriteArrayList<>();
  private final ReentrantLock writes = new ReentrantLock(true);

  private ReplicaDirectories() {}

  /** Starts {@code count} servers with the entries of {@link People}. */
  public static ReplicaDirectories start(int count) throws LDAPException {
    ReplicaDirectories replicas = new ReplicaDirectories();
    for (int number = 0; number < count; number++) {
      replicas.startOne();
    }
    return replicas;
  }

  private void startOne() throws LDAPException {
    InMemoryDirectoryServerConfig config = new InMemoryDirectoryServerConfig(People.SUFFIX);
    config.setListenerConfigs(
        InMemoryListenerConfig.createLDAPConfig(
            "replica", InetAddress.getLoopbackAddress(), 0, null));
    config.addInMemoryOperationInterceptor(new DemoReplication(writes, servers, servers.size()));
    // The changes of extended operations could not be repeated on the other servers.
    config.getExtendedOperationHandlers().clear();
    InMemoryDirectoryServer server = new InMemoryDirectoryServer(config);
    server.addEntries(People.entries());
    server.startListening();
    servers.add(server);
  }

  /** Returns the addresses of the servers. */
  public List<ServerAddress> addresses() {
    return servers.stream().map(server -> new ServerAddress(HOST, server.getListenPort())).toList();
  }

  @Override
  public void close() {
    servers.forEach(server -> server.shutDown(true));
  }
}

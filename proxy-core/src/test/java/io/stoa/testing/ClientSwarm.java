// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Clients that are all connected at the same time, and closed together. Thread-safe. */
public final class ClientSwarm implements AutoCloseable {
  private final Queue<RawLdapClient> clients = new ConcurrentLinkedQueue<>();

  /** Adds a client, which is returned. */
  public RawLdapClient add(RawLdapClient client) {
    clients.add(client);
    return client;
  }

  /** All of them, in the order in which they were added. */
  public List<RawLdapClient> all() {
    return List.copyOf(clients);
  }

  @Override
  public void close() {
    clients.forEach(RawLdapClient::close);
  }
}

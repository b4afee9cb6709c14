// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import io.stoa.testing.DirectoryServer;
import java.util.ArrayList;
import java.util.List;

/**
 * A directory in its first state, the Stoas before it, and clients of both. Confined to the thread
 * of the test.
 */
final class World implements AutoCloseable {
  private final Clients direct;
  private final List<StoaWithClients> ways;
  private final List<? extends AutoCloseable> servers;

  /**
   * @param servers what is to be closed at the end, in this order
   */
  World(Clients direct, List<StoaWithClients> ways, List<? extends AutoCloseable> servers) {
    this.direct = direct;
    this.ways = ways;
    this.servers = servers;
  }

  /**
   * Starts the Stoas.
   *
   * @param asked the server whose answers are right
   * @param servers all that is started; closed if a Stoa does not start
   */
  static World before(
      DirectoryServer asked,
      List<? extends DirectoryServer> servers,
      List<Identity> identities,
      Stoas stoas,
      List<Stoas.Kind> kinds) {
    boolean started = false;
    try {
      List<AutoCloseable> all = new ArrayList<>(servers);
      all.add(stoas::close);
      World world =
          new World(new Clients(asked.address(), identities), stoas.start(kinds, identities), all);
      started = true;
      return world;
    } finally {
      if (!started) {
        servers.forEach(DirectoryServer::close);
        stoas.close();
      }
    }
  }

  Clients direct() {
    return direct;
  }

  List<StoaWithClients> ways() {
    return ways;
  }

  long hits() {
    return ways.stream().mapToLong(way -> way.proxy().cache().filterHits()).sum();
  }

  /** How many requests were sent until now, to the directory and to Stoa. */
  long requests() {
    return direct.sent() + ways.stream().mapToLong(way -> way.clients().sent()).sum();
  }

  @Override
  public void close() {
    direct.close();
    ways.forEach(StoaWithClients::close);
    for (AutoCloseable server : servers) {
      try {
        server.close();
      } catch (Exception e) {
        throw new AssertionError("a server cannot be ended", e);
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import java.util.List;

/**
 * A directory in its first state, the Stoas before it, and clients of both. Confined to the thread
 * of the test.
 */
final class World implements AutoCloseable {
  private final Clients direct;
  private final List<Way> ways;
  private final List<? extends AutoCloseable> servers;

  /**
   * @param servers what is to be closed at the end, in this order
   */
  World(Clients direct, List<Way> ways, List<? extends AutoCloseable> servers) {
    this.direct = direct;
    this.ways = ways;
    this.servers = servers;
  }

  Clients direct() {
    return direct;
  }

  List<Way> ways() {
    return ways;
  }

  long hits() {
    return ways.stream().mapToLong(way -> way.proxy().cache().filterHits()).sum();
  }

  @Override
  public void close() {
    direct.close();
    ways.forEach(Way::close);
    for (AutoCloseable server : servers) {
      try {
        server.close();
      } catch (Exception e) {
        throw new AssertionError("a server cannot be ended", e);
      }
    }
  }
}

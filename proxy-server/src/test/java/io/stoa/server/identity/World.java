// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.identity;

import io.stoa.testing.RawRequest;
import io.stoa.testing.Slapd;
import java.util.List;
import java.util.Random;

/** A directory made by chance, the queries that are asked of it, and its own answers to them. */
record World(Slapd slapd, List<RawRequest> queries, Oracle oracle) implements AutoCloseable {
  private static final int QUERIES = 120;
  private static final int ATTEMPTS = 50;
  private static final double DIVERSE = 4;

  /**
   * The first world from this seed on in which who asks makes a difference: some chances hide
   * everything from everybody.
   */
  static World diverse(long seed) {
    for (int i = 0; i < ATTEMPTS; i++) {
      World world = make(seed + i);
      if (world.oracle().diversity() >= DIVERSE) {
        return world;
      }
      world.close();
    }
    throw new AssertionError("no diverse world within " + ATTEMPTS + " of seed " + seed);
  }

  private static World make(long seed) {
    Slapd slapd = Slapd.start(new RandomDirectory(new Random(seed)).config());
    List<RawRequest> queries = new QueryPool(new Random(~seed)).queries(QUERIES);
    return new World(slapd, queries, Oracle.readFrom(slapd, queries));
  }

  @Override
  public void close() {
    slapd.close();
  }
}

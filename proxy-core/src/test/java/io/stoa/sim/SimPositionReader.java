// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.ldap.csn.Position;
import io.stoa.sim.StatelessRandom.Stream;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks one server how far it has got. It tells what it has published: while a lower CSN is pending,
 * less than what it has answered. Thread-confined.
 */
final class SimPositionReader {
  private final VirtualTime time;
  private final Faults faults;
  private final SimServer server;
  private final SplittableRandom random;

  /**
   * Makes it for one server.
   *
   * @param number which of those that ask it is
   */
  SimPositionReader(VirtualTime time, Faults faults, SimServer server, int number) {
    this.time = time;
    this.faults = faults;
    this.server = server;
    this.random = faults.draws().of(Stream.PROBE, number);
  }

  /**
   * Asks now.
   *
   * @param heard is told the position some time later; null if there is no answer
   */
  void read(Consumer<@Nullable Position> heard) {
    boolean lost = faults.losesProbe(random, time.now());
    long back = Faults.way(random);
    time.after(
        Faults.way(random),
        () -> {
          Position position = lost ? null : server.position();
          time.after(back, () -> heard.accept(position));
        });
  }
}

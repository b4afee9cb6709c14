// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.change.Position;
import io.stoa.coherence.Consistency;
import io.stoa.coherence.Consistency.Question;
import io.stoa.sim.Draws.Stream;
import io.stoa.sim.SimDirectory.Server;
import java.util.Set;
import java.util.SplittableRandom;

/** Asks one server again and again how far it has got, and after each write. Thread-confined. */
final class SimProbe {
  private static final long INTERVAL = 250 * Faults.MILLIS;

  private final VirtualTime time;
  private final Faults faults;
  private final Consistency consistency;
  private final Server server;
  private final SplittableRandom random;
  private boolean asking;

  SimProbe(VirtualTime time, Faults faults, Consistency consistency, Server server, int number) {
    this.time = time;
    this.faults = faults;
    this.consistency = consistency;
    this.server = server;
    this.random = faults.draws().of(Stream.PROBE, number);
  }

  void start() {
    consistency.whenWritten(server, () -> time.after(Faults.MILLIS, this::ask));
    turn();
  }

  private void turn() {
    ask();
    consistency.replication().pass();
    time.after(INTERVAL, this::turn);
  }

  /** One question at a time; that to which there is no answer is given up a little later. */
  private void ask() {
    if (asking) {
      return;
    }
    asking = true;
    Question question = consistency.ask(server);
    boolean lost = faults.losesProbe(random, time.now());
    time.after(Faults.way(random), () -> answer(question, lost));
  }

  private void answer(Question question, boolean lost) {
    Position position = server.position();
    time.after(Faults.way(random), () -> hear(question, position, lost));
  }

  private void hear(Question question, Position position, boolean lost) {
    asking = false;
    if (!lost) {
      consistency.told(question, position, Set.of(World.SUFFIX));
    }
  }
}

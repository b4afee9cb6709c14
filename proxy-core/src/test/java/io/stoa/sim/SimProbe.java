// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.ldap.csn.Position;
import io.stoa.replication.SessionGuarantees;
import io.stoa.replication.SessionGuarantees.PositionRequest;
import java.util.Set;

/** Asks one server again and again how far it has got, and after each write. Thread-confined. */
final class SimProbe {
  private static final long INTERVAL = 250 * Faults.MILLIS;

  /** Nothing is pending any longer that was when a write was answered. */
  private static final long SURE = 26 * Faults.MILLIS;

  private final VirtualTime time;
  private final SessionGuarantees consistency;
  private final SimServer server;
  private final SimPositions positions;
  private boolean asking;

  SimProbe(
      VirtualTime time, SessionGuarantees consistency, SimServer server, SimPositions positions) {
    this.time = time;
    this.consistency = consistency;
    this.server = server;
    this.positions = positions;
  }

  /** It has told before anything is asked of Stoa: before, no write can be known to be had. */
  void start() {
    told(consistency.startRequest(server), server.position());
    consistency.setPositionRequester(
        server,
        () -> {
          time.after(Faults.MILLIS, this::ask);
          time.after(SURE, this::ask);
        });
    turn();
  }

  private void turn() {
    ask();
    consistency.replication().updateHolds();
    time.after(INTERVAL, this::turn);
  }

  /** One question at a time; that to which there is no answer is given up a little later. */
  private void ask() {
    if (asking) {
      return;
    }
    asking = true;
    PositionRequest question = consistency.startRequest(server);
    positions.ask(
        position -> {
          asking = false;
          if (position != null) {
            told(question, position);
          }
        });
  }

  private void told(PositionRequest question, Position position) {
    consistency.onPosition(question, position, Set.of(World.SUFFIX));
  }
}

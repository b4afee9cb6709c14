// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.ldap.csn.Position;
import io.stoa.replication.SessionGuarantees;
import io.stoa.replication.SessionGuarantees.PositionRequest;
import java.util.Set;

/** Asks one server again and again how far it has got, and after each write. Thread-confined. */
final class SimPositionMonitor {
  private static final long INTERVAL = 250 * Faults.MILLIS;

  /** Nothing is pending any longer that was when a write was answered. */
  private static final long SETTLE_DELAY = 26 * Faults.MILLIS;

  private final VirtualTime time;
  private final SessionGuarantees consistency;
  private final SimServer server;
  private final SimPositionReader positions;
  private boolean pending;

  SimPositionMonitor(
      VirtualTime time,
      SessionGuarantees consistency,
      SimServer server,
      SimPositionReader positions) {
    this.time = time;
    this.consistency = consistency;
    this.server = server;
    this.positions = positions;
  }

  /** It has told before anything is asked of Stoa: before, no write can be known to be had. */
  void start() {
    onPosition(consistency.startRequest(server), server.position());
    consistency.setPositionRequester(
        server,
        () -> {
          time.after(Faults.MILLIS, this::requestPosition);
          time.after(SETTLE_DELAY, this::requestPosition);
        });
    poll();
  }

  private void poll() {
    requestPosition();
    consistency.replication().updateHolds();
    time.after(INTERVAL, this::poll);
  }

  /** One question at a time; that to which there is no answer is given up a little later. */
  private void requestPosition() {
    if (pending) {
      return;
    }
    pending = true;
    PositionRequest question = consistency.startRequest(server);
    positions.read(
        position -> {
          pending = false;
          if (position != null) {
            onPosition(question, position);
          }
        });
  }

  private void onPosition(PositionRequest question, Position position) {
    consistency.onPosition(question, position, Set.of(SimNames.SUFFIX));
  }
}

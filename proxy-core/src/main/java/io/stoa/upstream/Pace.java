// SPDX-License-Identifier: Apache-2.0
package io.stoa.upstream;

import io.netty.util.concurrent.EventExecutor;
import io.stoa.backend.Places;
import java.util.function.Supplier;

/**
 * Lets through as much of what waits on one event loop for a server as that takes at once, beside
 * what others send it. As long as there is no cap everything passes, at the cost of looking. Event-
 * loop confined, but for {@link #placed}, which posts.
 */
final class Pace implements Places.Candidate {
  private final Places places;
  private final EventExecutor loop;
  private final Supplier<Object> origin;
  private final Runnable turn;
  private int asked;
  private int taken;

  /**
   * Makes it.
   *
   * @param origin whose turns are used by what waits next
   * @param turn sends one of those that wait, if it can
   */
  Pace(UpstreamPool pool, Supplier<Object> origin, Runnable turn) {
    this.places = pool.backend().places();
    this.loop = pool.loop();
    this.origin = origin;
    this.turn = turn;
  }

  /** Whether what waits needs a turn to be sent. */
  boolean rules() {
    return places.limited();
  }

  /** Whether something may be sent now; if so, {@link #passed} follows. */
  boolean pass() {
    if (!places.limited()) {
      return true;
    }
    boolean may = places.take();
    taken += may ? 1 : 0;
    return may;
  }

  /** It has been sent, and is counted. */
  void passed() {
    if (taken > 0) {
      taken--;
      places.giveBack();
    }
  }

  /** Asks for so many turns, together with those that were asked for and have not come. */
  void ask(int turns) {
    while (asked < turns) {
      asked++;
      places.await(origin.get(), this);
    }
  }

  @Override
  public void placed() {
    if (!loop.isShuttingDown()) { // else all ends, and nobody needs the place
      loop.execute(this::use);
    }
  }

  private void use() {
    asked--;
    try {
      turn.run();
    } finally {
      places.giveBack();
    }
  }
}

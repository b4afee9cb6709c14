// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.feeds;

import io.stoa.ldap.csn.Position;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Joins two answers of one server: its position, and the verdict that it is still the same process.
 * The position proves nothing without the verdict.
 *
 * <p>Threading: event loop of its feed.
 */
final class ProvedPosition {
  private final Consumer<Position> listener;
  private @Nullable Boolean proved;
  private @Nullable Position position;

  /**
   * Creates a join of two answers.
   *
   * @param receiver receives the position when both are known; an empty one without the proof
   */
  ProvedPosition(Consumer<Position> receiver) {
    this.listener = receiver;
  }

  /** Called with the verdict: true if the server is proved to be the same process. */
  void proved(boolean is) {
    proved = is;
    deliver();
  }

  /** Called with the position of the server. */
  void position(Position is) {
    position = is;
    deliver();
  }

  private void deliver() {
    Boolean same = proved;
    Position at = position;
    if (same != null && at != null) {
      listener.accept(same ? at : Position.NONE);
    }
  }
}

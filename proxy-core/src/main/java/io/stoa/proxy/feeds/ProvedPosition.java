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
   * @param listener receives the position when both are known; an empty one without the proof
   */
  ProvedPosition(Consumer<Position> listener) {
    this.listener = listener;
  }

  /** Called with the verdict: true if the server is proved to be the same process. */
  void onProved(boolean sameProcess) {
    proved = sameProcess;
    deliver();
  }

  /** Called with the position of the server. */
  void onPosition(Position newPosition) {
    position = newPosition;
    deliver();
  }

  private void deliver() {
    Boolean isProved = proved;
    Position current = position;
    if (isProved != null && current != null) {
      listener.accept(isProved ? current : Position.NONE);
    }
  }
}

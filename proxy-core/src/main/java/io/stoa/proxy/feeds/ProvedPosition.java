// SPDX-License-Identifier: Apache-2.0
package io.stoa.proxy.feeds;

import io.stoa.ldap.csn.Position;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Two answers of one server that are asked for at once: its position, and whether it is the process
 * that it was. Without the second the first proves nothing. Confined to the loop of its feed.
 */
final class ProvedPosition {
  private final Consumer<Position> told;
  private @Nullable Boolean proved;
  private @Nullable Position position;

  /**
   * Makes one that waits for both.
   *
   * @param told hears the position, or an empty one, as soon as both are known
   */
  ProvedPosition(Consumer<Position> told) {
    this.told = told;
  }

  /** The server is the process that it was, or is not known to be. */
  void proved(boolean is) {
    proved = is;
    tell();
  }

  /** How far the server has got. */
  void position(Position is) {
    position = is;
    tell();
  }

  private void tell() {
    Boolean same = proved;
    Position at = position;
    if (same != null && at != null) {
      told.accept(same ? at : Position.NONE);
    }
  }
}

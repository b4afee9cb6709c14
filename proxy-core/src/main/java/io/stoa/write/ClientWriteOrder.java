// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import io.stoa.ldap.protocol.Octets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the writes of one client in order. A write waits for earlier ones that may concern its
 * entry, or an entry above or below it. Other writes begin at once.
 *
 * <p>Threading: event loop.
 */
final class ClientWriteOrder {
  private final List<Turn> turns = new ArrayList<>(1);
  private final Runnable empty;

  /**
   * Creates it without writes.
   *
   * @param empty run each time the last write is over
   */
  ClientWriteOrder(Runnable empty) {
    this.empty = empty;
  }

  /**
   * Adds a write.
   *
   * @param position place of its entry; null if it may concern any entry
   * @param begin starts the write, at once or later
   */
  Turn take(@Nullable Octets position, Runnable begin) {
    Turn turn = new Turn(position, begin);
    turns.stream().filter(turn::follows).forEach(earlier -> turn.earlierTurns++);
    turns.add(turn);
    return turn;
  }

  /**
   * The turn of one write.
   *
   * <p>Threading: event loop.
   */
  final class Turn {
    private final @Nullable Octets position;
    private final Runnable begin;

    /** Number of earlier writes that it must not overtake. */
    private int earlierTurns;

    private boolean ready;
    private @Nullable Runnable hurry;

    private Turn(@Nullable Octets position, Runnable begin) {
      this.position = position;
      this.begin = begin;
    }

    private boolean follows(Turn earlier) {
      Octets here = position;
      Octets earlierPosition = earlier.position;
      return here == null
          || earlierPosition == null
          || here.beginsWith(earlierPosition)
          || earlierPosition.beginsWith(here);
    }

    /**
     * Sets the write to wait until {@link #ready}.
     *
     * @param urge asks for that to be soon
     */
    void setUrge(Runnable urge) {
      hurry = urge;
    }

    /** True if no earlier write is left that it must not overtake. */
    boolean isFirst() {
      return earlierTurns == 0;
    }

    /** Starts the write when its turn comes, which may be now. */
    void beginInTurn() {
      ready = true;
      hurry = null;
      if (earlierTurns == 0) {
        begin.run();
      }
    }

    /** Hurries the earlier writes that this one must follow. */
    void hurryEarlier() {
      List<Turn> waiting =
          turns.subList(0, turns.indexOf(this)).stream().filter(this::follows).toList();
      for (Turn earlier : waiting) {
        Runnable action = earlier.hurry;
        if (action != null) {
          action.run();
        }
      }
    }

    /** Called when the write was answered, or will not be sent. */
    void end() {
      int index = turns.indexOf(this);
      if (index >= 0) {
        turns.remove(index);
        List<Turn> later = List.copyOf(turns.subList(index, turns.size()));
        later.stream().filter(one -> one.follows(this)).forEach(Turn::advance);
        if (turns.isEmpty()) {
          empty.run();
        }
      }
    }

    private void advance() {
      earlierTurns--;
      if (earlierTurns == 0 && ready) {
        begin.run();
      }
    }
  }
}

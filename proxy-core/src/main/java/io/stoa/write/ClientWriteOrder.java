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
   * @param place place of its entry; null if it may concern any entry
   * @param begin starts the write, at once or later
   */
  Turn take(@Nullable Octets place, Runnable begin) {
    Turn turn = new Turn(place, begin);
    turns.stream().filter(turn::follows).forEach(earlier -> turn.before++);
    turns.add(turn);
    return turn;
  }

  /**
   * The turn of one write.
   *
   * <p>Threading: event loop.
   */
  final class Turn {
    private final @Nullable Octets place;
    private final Runnable begin;

    /** Number of earlier writes that it must not overtake. */
    private int before;

    private boolean ready;
    private @Nullable Runnable hurry;

    private Turn(@Nullable Octets place, Runnable begin) {
      this.place = place;
      this.begin = begin;
    }

    private boolean follows(Turn earlier) {
      Octets here = place;
      Octets there = earlier.place;
      return here == null || there == null || here.beginsWith(there) || there.beginsWith(here);
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
      return before == 0;
    }

    /** Starts the write when its turn comes, which may be now. */
    void ready() {
      ready = true;
      hurry = null;
      if (before == 0) {
        begin.run();
      }
    }

    /** Hurries the earlier writes that this one must follow. */
    void hurryEarlier() {
      List<Turn> kept =
          turns.subList(0, turns.indexOf(this)).stream().filter(this::follows).toList();
      for (Turn earlier : kept) {
        Runnable action = earlier.hurry;
        if (action != null) {
          action.run();
        }
      }
    }

    /** Called when the write was answered, or will not be sent. */
    void end() {
      int place = turns.indexOf(this);
      if (place >= 0) {
        turns.remove(place);
        List<Turn> later = List.copyOf(turns.subList(place, turns.size()));
        later.stream().filter(one -> one.follows(this)).forEach(Turn::advance);
        if (turns.isEmpty()) {
          empty.run();
        }
      }
    }

    private void advance() {
      before--;
      if (before == 0 && ready) {
        begin.run();
      }
    }
  }
}

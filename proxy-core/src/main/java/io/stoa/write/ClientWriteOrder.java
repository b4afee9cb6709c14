// SPDX-License-Identifier: Apache-2.0
package io.stoa.write;

import io.stoa.ldap.protocol.Octets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The writes of one client that are not over, in the order in which they came. One that may be
 * about the entry of an earlier one, or about an entry above or below that, begins when the earlier
 * one is over; the others begin at once. Event-loop confined.
 */
final class ClientWriteOrder {
  private final List<Turn> turns = new ArrayList<>(1);
  private final Runnable empty;

  /**
   * Makes it for no writes.
   *
   * @param empty run whenever all are over
   */
  ClientWriteOrder(Runnable empty) {
    this.empty = empty;
  }

  /**
   * A write has come.
   *
   * @param place of its entry; null if it may be about any
   * @param begin lets it begin, at once or later
   */
  Turn take(@Nullable Octets place, Runnable begin) {
    Turn turn = new Turn(place, begin);
    turns.stream().filter(turn::follows).forEach(earlier -> turn.before++);
    turns.add(turn);
    return turn;
  }

  /** The turn of one write. Event-loop confined. */
  final class Turn {
    private final @Nullable Octets place;
    private final Runnable begin;

    /** How many earlier ones it must not overtake. */
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
     * It is kept waiting until it is {@link #ready}.
     *
     * @param urge asks for that to be soon
     */
    void keep(Runnable urge) {
      hurry = urge;
    }

    /** Whether none is before it that it must not overtake. */
    boolean first() {
      return before == 0;
    }

    /** It begins as soon as it is its turn. */
    void ready() {
      ready = true;
      hurry = null;
      if (before == 0) {
        begin.run();
      }
    }

    /** What it must not overtake is not to be kept waiting for it. */
    void urge() {
      List<Turn> kept =
          turns.subList(0, turns.indexOf(this)).stream().filter(this::follows).toList();
      for (Turn earlier : kept) {
        Runnable action = earlier.hurry;
        if (action != null) {
          action.run();
        }
      }
    }

    /** It has been answered, or will not be sent. */
    void over() {
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

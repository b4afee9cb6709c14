// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim.check;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the directory held, state by state: each change makes the next one. What somebody is shown
 * of a state depends on the access rules, which are counted likewise. Thread-confined.
 */
public interface Timeline {
  /** The last state that was there at a time. */
  int at(long time);

  /** The last state that may have been there at a time, where that is not known exactly. */
  default int atMost(long time) {
    return at(time);
  }

  /** The access rules that held at a time. */
  int rules(long time);

  /** The last ones that may have held at a time, where that is not known exactly. */
  default int rulesAtMost(long time) {
    return rules(time);
  }

  /** The result code of a question in a state. */
  int code(int state, int rules, Object question);

  /** What a search shows in a state, by DN. */
  Map<String, String> entries(int state, int rules, Object question);

  /** What a search would show of an entry, found or not; null if it is not there, or is hidden. */
  @Nullable String entry(int state, int rules, String dn, Object question);

  /**
   * States that the directory never was in: they hold an entry as a replica keeps it, though what
   * made it so was undone.
   *
   * @param from only those that a replica had after that
   * @param until and before that
   */
  List<Integer> undone(String dn, long from, long until);

  /**
   * States in which the directory was not yet, or never, and which a feed has told: they hold an
   * entry as it may be shown by what was changed in place.
   *
   * @param read who was shown it, and when
   * @param oldest they hold whatever this state does
   */
  default List<Integer> announced(Read read, String dn, int oldest) {
    return List.of();
  }

  /**
   * Older states that hold an entry as it may be shown because a feed has lost a change of it, and
   * that has not been found out yet.
   *
   * @param read who was shown it, and when
   * @param oldest whatever else has happened is shown up to this state
   */
  default List<Integer> unreported(Read read, String dn, int oldest) {
    return List.of();
  }
}

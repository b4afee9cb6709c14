// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim.check;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The states and access rules by which an answer may be explained: of a server, what that had; from
 * memory, what there was within the bound. Immutable.
 *
 * @param first the oldest state
 * @param last the newest one
 * @param firstRules the oldest access rules
 * @param lastRules the newest ones
 */
record Window(
    Read read,
    Timeline timeline,
    Bounds bounds,
    int first,
    int last,
    int firstRules,
    int lastRules) {

  static Window of(Read read, Timeline timeline, Bounds bounds) {
    boolean memory = read.fromMemory();
    long since = read.invoked() - (memory ? bounds.access() : 0);
    return new Window(
        read,
        timeline,
        bounds,
        memory ? timeline.at(read.invoked() - bounds.of(read)) : read.served(),
        memory ? timeline.atMost(read.completed()) : read.served(),
        timeline.rules(since),
        timeline.rulesAtMost(read.completed()));
  }

  /** What may explain something. */
  interface Test {
    boolean holds(int state, int rules);
  }

  /** Whether a state does from which an entry may be; the newest one always may. */
  boolean any(String dn, int oldest, Test test) {
    for (int rules = firstRules; rules <= lastRules; rules++) {
      for (int state = oldest; state <= Math.max(oldest, last); state++) {
        if (test.holds(state, rules)) {
          return true;
        }
      }
    }
    return any(undone(dn), test) || any(unreported(dn, oldest), test);
  }

  /** The same of an entry in an answer, which may have been changed in place. */
  boolean anyReported(String dn, int oldest, Test test) {
    return any(dn, oldest, test) || any(announced(dn, oldest), test);
  }

  /** Whether an entry may be shown so because a feed has told what was not so, or not yet. */
  boolean isAnnounced(String dn, String shown) {
    return any(announced(dn, 0), (state, rules) -> shown.equals(entry(state, rules, dn)));
  }

  /** Nothing is changed in place that rests on its age. */
  private List<Integer> announced(String dn, int oldest) {
    return bounds.mayBeLeased(read) ? timeline.announced(read, dn, oldest) : List.of();
  }

  /** Nothing that rests on its age is kept because a feed says nothing. */
  private List<Integer> unreported(String dn, int oldest) {
    return bounds.mayBeLeased(read) ? timeline.unreported(read, dn, oldest) : List.of();
  }

  private boolean any(List<Integer> states, Test test) {
    for (int state : states) {
      for (int rules = firstRules; rules <= lastRules; rules++) {
        if (test.holds(state, rules)) {
          return true;
        }
      }
    }
    return false;
  }

  private List<Integer> undone(String dn) {
    long since = read.invoked() - (read.fromMemory() ? bounds.undone() : 0);
    return timeline.undone(dn, since, read.completed());
  }

  /** All entries that are or could be in the answer: most often just those that are. */
  @SuppressWarnings("ReferenceEquality") // a state that shows the same often shows the same map
  Set<String> names() {
    Set<String> names = read.entries().keySet();
    Map<String, String> known = Map.of();
    for (int rules = firstRules; rules <= lastRules; rules++) {
      for (int state = first; state <= last; state++) {
        Map<String, String> shown = timeline.entries(state, rules, read.question());
        if (shown != known && !names.containsAll(shown.keySet())) {
          names = new TreeSet<>(names);
          names.addAll(shown.keySet());
        }
        known = shown;
      }
    }
    return names;
  }

  /** Whether the newest state is such that it would have been answered just so. */
  boolean isNewest() {
    Object question = read.question();
    return timeline.code(last, lastRules, question) == read.code()
        && timeline.entries(last, lastRules, question).equals(read.entries());
  }

  boolean shows(int state, int rules, String dn) {
    return timeline.entries(state, rules, read.question()).containsKey(dn);
  }

  @Nullable String entry(int state, int rules, String dn) {
    return timeline.entry(state, rules, dn, read.question());
  }

  /** The oldest state that shows an entry as the read did; below 0 if none does. */
  int earliest(String dn, String shown) {
    for (int state = first; state <= last; state++) {
      for (int rules = firstRules; rules <= lastRules; rules++) {
        if (shown.equals(entry(state, rules, dn))) {
          return state;
        }
      }
    }
    return -1;
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim.check;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Looks for states of the directory by which an answer can be explained. Each entry is judged by
 * itself: that it is in the answer by one state, what is shown of it by another. Thread-confined.
 */
final class Explanation {
  private final Read read;
  private final Timeline timeline;
  private final ToIntFunction<String> first;
  private final int last;

  /**
   * Looks at one answer.
   *
   * @param first the oldest state by which an entry may be explained
   * @param last the newest one
   */
  Explanation(Read read, Timeline timeline, ToIntFunction<String> first, int last) {
    this.read = read;
    this.timeline = timeline;
    this.first = first;
    this.last = last;
  }

  /** What cannot be explained; null if all can. */
  @Nullable String gap() {
    if (!any(read.base(), state -> timeline.code(state, read.question()) == read.code())) {
      return told("the result code " + read.code(), read.base());
    }
    for (String dn : names()) {
      String gap = gap(dn);
      if (gap != null) {
        return gap;
      }
    }
    return null;
  }

  /** All entries that are or could be in the answer. */
  private Set<String> names() {
    Set<String> names = new TreeSet<>(read.entries().keySet());
    for (int state = oldest(""); state <= last; state++) {
      names.addAll(timeline.shown(state, read.question()).keySet());
    }
    return names;
  }

  private @Nullable String gap(String dn) {
    String shown = read.entries().get(dn);
    if (!any(dn, state -> shows(state, dn) == (shown != null))) {
      return told((shown == null ? "that it lacks " : "that it has ") + dn, dn);
    }
    if (shown == null
        || any(dn, state -> shown.equals(timeline.entry(state, dn, read.question())))) {
      return null;
    }
    return told("what it shows of " + dn + ", " + printable(shown), dn);
  }

  private boolean shows(int state, String dn) {
    Map<String, String> shown = timeline.shown(state, read.question());
    return shown.containsKey(dn);
  }

  private int oldest(String dn) {
    return first.applyAsInt(dn);
  }

  private boolean any(String dn, IntPredicate explains) {
    int oldest = oldest(dn);
    for (int state = oldest; state <= Math.max(oldest, last); state++) {
      if (explains.test(state)) {
        return true;
      }
    }
    return false;
  }

  private String told(String what, String dn) {
    return "read %d of %s, %s, %s: no state from %d to %d explains %s"
        .formatted(
            read.number(),
            read.session().isEmpty() ? "anonymous" : read.session(),
            read.question(),
            read.fromMemory() ? "from memory" : "of a server at " + read.served(),
            oldest(dn),
            Math.max(oldest(dn), last),
            what);
  }

  static String printable(String octets) {
    return octets.replaceAll("[^ -~]+", " ");
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim.check;

import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Looks for states of the directory by which an answer can be explained. Each entry is judged by
 * itself: that it is in the answer by one state, what is shown of it by another. Most often the
 * newest state explains them all, so that is tried first. Thread-confined.
 */
final class Explanation {
  private final Read read;
  private final Window window;
  private final ToIntFunction<String> first;

  /**
   * Looks at one answer.
   *
   * @param first the oldest state by which an entry may be explained
   */
  Explanation(Window window, ToIntFunction<String> first) {
    this.read = window.read();
    this.window = window;
    this.first = first;
  }

  /** What cannot be explained; null if all can. */
  @Nullable String gap() {
    Timeline timeline = window.timeline();
    Object question = read.question();
    if (!any(read.base(), (state, to) -> timeline.code(state, to, question) == read.code())) {
      return describeGap("the result code " + read.code(), read.base());
    }
    boolean newest = window.isNewest();
    for (String dn : window.names()) {
      boolean explained = newest && first.applyAsInt(dn) <= window.last();
      String gap = explained ? null : gap(dn);
      if (gap != null) {
        return gap;
      }
    }
    return null;
  }

  private @Nullable String gap(String dn) {
    String shown = read.entries().get(dn);
    if (!anyReported(dn, (state, to) -> window.shows(state, to, dn) == (shown != null))) {
      return describeGap((shown == null ? "that it lacks " : "that it has ") + dn, dn);
    }
    if (shown == null
        || anyReported(dn, (state, to) -> shown.equals(window.entry(state, to, dn)))) {
      return null;
    }
    return describeGap("what it shows of " + dn + ", " + printable(shown), dn);
  }

  private boolean any(String dn, Window.Test test) {
    return window.any(dn, first.applyAsInt(dn), test);
  }

  private boolean anyReported(String dn, Window.Test test) {
    return window.anyReported(dn, first.applyAsInt(dn), test);
  }

  private String describeGap(String what, String dn) {
    int oldest = first.applyAsInt(dn);
    return "read %d of %s, %s, %s: no state from %d to %d explains %s"
        .formatted(
            read.number(),
            read.who(),
            read.question(),
            read.fromMemory() ? "from memory" : "of a server at " + read.served(),
            oldest,
            Math.max(oldest, window.last()),
            what);
  }

  static String printable(String octets) {
    return octets.replaceAll("[^ -~]+", " ");
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim.check;

import java.util.ArrayList;
import java.util.List;

/**
 * When nothing has changed for long enough, all answers are what the directory holds. Stateless.
 */
public final class QuietChecker implements Checker {
  private final long since;

  /** Judges what is asked from a time on. */
  public QuietChecker(long since) {
    this.since = since;
  }

  @Override
  public List<Violation> check(Recording recording, Timeline timeline, Bounds bounds) {
    List<Violation> violations = new ArrayList<>();
    for (Read read : recording.reads()) {
      if (read.invoked() >= since) {
        Bounds none = Bounds.ofAge(0, bounds.alone());
        Window window = Window.of(read, timeline, none);
        int last = timeline.at(read.completed());
        String gap = new Explanation(window, dn -> last).gap();
        if (gap != null) {
          violations.add(new Violation(Violation.Kind.QUIET, gap));
        }
      }
    }
    return violations;
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim.check;

import java.util.ArrayList;
import java.util.List;

/**
 * Every answer is one that the directory would have given: by a server, what that has; from memory,
 * what was so within the bound. Stateless.
 */
public final class SetChecker implements Checker {
  @Override
  public List<Violation> check(Recording recording, Timeline timeline, Bounds bounds) {
    List<Violation> violations = new ArrayList<>();
    for (Read read : recording.reads()) {
      Window window = Window.of(read, timeline, bounds);
      int floor = bounds.alone() ? answered(recording, read) : 0;
      int first = Math.max(floor, window.first());
      String gap = new Explanation(window, dn -> first).gap();
      if (gap != null) {
        violations.add(new Violation(Violation.Kind.STATE, gap));
      }
    }
    return violations;
  }

  /** What was answered before the read was asked, to anybody. */
  private static int answered(Recording recording, Read read) {
    int newest = 0;
    for (Write write : recording.writes()) {
      if (write.answered() < read.invoked()) {
        newest = Math.max(newest, write.state());
      }
    }
    return newest;
  }
}

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
      String gap = new Explanation(window, dn -> first(recording, window, dn)).gap();
      if (gap != null) {
        violations.add(new Violation(Violation.Kind.STATE, gap));
      }
    }
    return violations;
  }

  /**
   * The oldest state by which an entry may be explained. With one server that shows what had been
   * answered before the read was asked, to anybody. What is stored is void with the next write, so
   * that it shows all that was before that, too; but what a feed vouches for stays, and may lack
   * for a while what others have written past the proxy to other entries.
   */
  private static int first(Recording recording, Window window, String dn) {
    Read read = window.read();
    int first = window.first();
    if (window.bounds().alone()) {
      boolean leased = window.bounds().mayBeLeased(read);
      for (Write write : recording.writes()) {
        boolean shown = !leased || (write.sure() && write.concerns(dn, read.derives()));
        if (shown && write.answered() < read.invoked()) {
          first = Math.max(first, write.state());
        }
      }
    }
    return first;
  }
}

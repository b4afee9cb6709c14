// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim.check;

import java.util.ArrayList;
import java.util.List;

/**
 * Nobody is shown what all access rules hide from him that held within the bound, however old it
 * is. Stateless.
 */
public final class LeakChecker implements Checker {
  private final Rules rules;

  /** Judges by access rules. */
  public LeakChecker(Rules rules) {
    this.rules = rules;
  }

  /** What is hidden from whom. Stateless. */
  public interface Rules {
    /** Whether some access rules hide from a session an entry in this form. */
    boolean hide(int rules, String session, String dn, String shown);
  }

  @Override
  public List<Violation> check(Recording recording, Timeline timeline, Bounds bounds) {
    List<Violation> violations = new ArrayList<>();
    for (Read read : recording.reads()) {
      if (!read.entries().isEmpty()) {
        Window window = Window.of(read, timeline, bounds);
        read.entries()
            .forEach(
                (dn, shown) -> {
                  if (hidden(window, dn, shown)) {
                    violations.add(leak(read, dn, shown));
                  }
                });
      }
    }
    return violations;
  }

  private boolean hidden(Window window, String dn, String shown) {
    String session = window.read().session();
    for (int one = window.firstRules(); one <= window.lastRules(); one++) {
      if (!rules.hide(one, session, dn, shown)) {
        return false;
      }
    }
    return true;
  }

  private static Violation leak(Read read, String dn, String shown) {
    return new Violation(
        Violation.Kind.LEAK,
        "read %d of %s shows %s: %s"
            .formatted(read.number(), read.who(), dn, Explanation.printable(shown)));
  }
}

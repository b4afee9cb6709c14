// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim.check;

import java.util.ArrayList;
import java.util.List;

/** Nobody is shown what access rules hide from him, however old it is. Stateless. */
public final class LeakChecker implements Checker {
  private final Rules rules;

  /** Judges by access rules that never change. */
  public LeakChecker(Rules rules) {
    this.rules = rules;
  }

  /** What is hidden from whom. Stateless. */
  public interface Rules {
    /** Whether a session may not be shown an entry in this form. */
    boolean hide(String session, String dn, String shown);
  }

  @Override
  public List<Violation> check(Recording recording, Timeline timeline, Bounds bounds) {
    List<Violation> violations = new ArrayList<>();
    for (Read read : recording.reads()) {
      read.entries()
          .forEach(
              (dn, shown) -> {
                if (rules.hide(read.session(), dn, shown)) {
                  violations.add(leak(read, dn, shown));
                }
              });
    }
    return violations;
  }

  private static Violation leak(Read read, String dn, String shown) {
    return new Violation(
        Violation.Kind.LEAK,
        "read %d of %s shows %s: %s"
            .formatted(read.number(), read.session(), dn, Explanation.printable(shown)));
  }
}

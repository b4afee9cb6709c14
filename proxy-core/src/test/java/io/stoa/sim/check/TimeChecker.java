// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim.check;

import java.util.ArrayList;
import java.util.List;

/**
 * What the proxy tells of what it has in memory is so: it answers from there exactly when it says
 * that it would, and with nothing for which it vouches for longer than it may. A process that has
 * stood still for long has to notice that before it answers. Stateless.
 */
public final class TimeChecker implements Checker {
  @Override
  public List<Violation> check(Recording recording, Timeline timeline, Bounds bounds) {
    List<Violation> violations = new ArrayList<>();
    for (Read read : recording.reads()) {
      Claim claim = read.claim();
      String wrong = claim == null ? "" : wrong(read, claim, bounds);
      if (!wrong.isEmpty()) {
        violations.add(violation(read, wrong));
      }
    }
    return violations;
  }

  private static String wrong(Read read, Claim claim, Bounds bounds) {
    boolean once = read.fromMemory() && read.completed() == read.decided();
    boolean none = claim.equals(Claim.NONE);
    if (none == once) {
      return none ? "is not told of" : "is told of in vain";
    }
    return !none && age(read, claim) > bounds.of(read)
        ? "is of " + age(read, claim) + " ns ago"
        : "";
  }

  /** A lease counts until the answer is there, whenever it was asked for. */
  private static long age(Read read, Claim claim) {
    return (claim.leased() ? read.completed() : read.invoked()) - claim.asOf();
  }

  private static Violation violation(Read read, String what) {
    return new Violation(
        Violation.Kind.TIME,
        "read %d of %s, %s: the answer in memory %s"
            .formatted(read.number(), read.who(), read.question(), what));
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.sim.check.Violation;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/** Takes out of a history what it does not need to break the same promise. Stateless. */
final class Shrinker {
  private static final int MAX_RUNS = 2_000;

  private Shrinker() {}

  /** The smallest that is found. */
  static Program shrink(Program program, Violation.Kind kind) {
    return shrink(program, one -> new Simulation(one).run().violations(), kind);
  }

  /**
   * The same.
   *
   * @param run what is wrong with a history
   */
  static Program shrink(
      Program program, Function<Program, List<Violation>> run, Violation.Kind kind) {
    Search search = new Search(run, kind);
    return search.smallest(search.withoutFaults(program));
  }

  /** One search, which ends after so many runs. Thread-confined. */
  private static final class Search {
    private final Function<Program, List<Violation>> run;
    private final Violation.Kind kind;
    private int runs;

    Search(Function<Program, List<Violation>> run, Violation.Kind kind) {
      this.run = run;
      this.kind = kind;
    }

    boolean breaks(Program program) {
      runs++;
      return run.apply(program).stream().anyMatch(one -> one.kind() == kind);
    }

    /** Leaves out what goes wrong, the replica, and how servers behave, one by one. */
    Program withoutFaults(Program program) {
      Program small = smallerIfBroken(program.with(Fault.NONE), program);
      small = smallerIfBroken(small.with(false), small);
      for (Quirk quirk : program.quirks()) {
        Set<Quirk> fewer = new TreeSet<>(small.quirks());
        fewer.remove(quirk);
        small = smallerIfBroken(small.with(fewer), small);
      }
      return small;
    }

    private Program smallerIfBroken(Program less, Program program) {
      return breaks(less) ? less : program;
    }

    /** Leaves out parts, halving them down to single acts, until none can be left out. */
    Program smallest(Program program) {
      Program small = program;
      int part = Math.max(1, small.kept().size() / 2);
      while (runs < MAX_RUNS) {
        Program less = without(small, part);
        if (less.kept().size() == small.kept().size() && part == 1) {
          return small;
        }
        part = less.kept().size() == small.kept().size() ? part / 2 : part;
        small = less;
      }
      return small;
    }

    private Program without(Program program, int part) {
      Program small = program;
      List<Integer> acts = new ArrayList<>(program.kept());
      for (int from = 0; from < acts.size() && runs < MAX_RUNS; from += part) {
        Set<Integer> fewer = new TreeSet<>(small.kept());
        acts.subList(from, Math.min(from + part, acts.size())).forEach(fewer::remove);
        Program less = small.only(fewer);
        small = breaks(less) ? less : small;
      }
      return small;
    }
  }
}

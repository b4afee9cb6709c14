// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.sim.check.Violation;
import io.stoa.sim.check.Violation.Kind;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Only what a violation needs is left. */
class ShrinkerTest {
  private static final Set<Integer> NEEDED = Set.of(3, 50, 199);

  private static Function<Program, List<Violation>> broken(Fault needed) {
    return program -> {
      boolean fault = needed == Fault.NONE || program.fault() == needed;
      boolean broken = fault && program.kept().containsAll(NEEDED);
      return broken ? List.of(new Violation(Kind.STATE, "planted")) : List.of();
    };
  }

  @Test
  void unneededPartsAreRemoved() {
    Program program =
        Program.of(1).with(Fault.REPLICA_LAG).with(EnumSet.allOf(Quirk.class)).with(true);
    Program small = Shrinker.shrink(program, broken(Fault.NONE), Kind.STATE);
    assertThat(small.kept()).isEqualTo(NEEDED);
    assertThat(small.fault()).isEqualTo(Fault.NONE);
    assertThat(small.quirks()).isEmpty();
    assertThat(small.replicated()).isFalse();
  }

  @Test
  void neededPartsAreKept() {
    Program program = Program.of(1).with(Fault.REPLICA_LAG);
    Program small = Shrinker.shrink(program, broken(Fault.REPLICA_LAG), Kind.STATE);
    assertThat(small.kept()).isEqualTo(NEEDED);
    assertThat(small.fault()).isEqualTo(Fault.REPLICA_LAG);
  }

  @Test
  void aDifferentViolationKeepsAllActs() {
    Program program = Program.of(1);
    Program small = Shrinker.shrink(program, broken(Fault.NONE), Kind.LEAK);
    assertThat(small.kept()).isEqualTo(program.kept());
  }

  /** What is left out changes nothing of what is left. */
  @Test
  void removingActsDoesNotAlterTheOthers() {
    Program all = Program.of(7);
    assertThat(all.only(NEEDED).acts())
        .isEqualTo(all.acts().stream().filter(act -> NEEDED.contains(act.number())).toList());
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.sim.check.Violation;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A history that broke a promise, as a person can look at it and run it again. Stateless. */
public final class Replay {
  private static final String SEED = "stoa.seed";
  private static final String KEEP = "stoa.sim.keep";
  private static final String FAULT = "stoa.sim.fault";

  private Replay() {}

  /** What the command line names; by default the first history, as a whole. */
  static Program named() {
    Program all = Program.of(Long.getLong(SEED, 1));
    String kept = System.getProperty(KEEP, "");
    String fault = System.getProperty(FAULT, "");
    Program program = fault.isEmpty() ? all : all.with(Fault.valueOf(fault));
    return kept.isEmpty() ? program : program.only(numbers(kept));
  }

  private static Set<Integer> numbers(String kept) {
    return Stream.of(kept.split(",", -1))
        .map(Integer::valueOf)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /**
   * What is wrong with the history of a seed, shrunk, and how to see it again; empty if nothing is.
   */
  public static String of(long seed) {
    Program program = Program.of(seed);
    List<Violation> violations = new Simulation(program).run().violations();
    return violations.isEmpty() ? "" : told(Shrinker.shrink(program, violations.get(0).kind()));
  }

  static String told(Program program) {
    List<Violation> violations = new Simulation(program).run().violations();
    String kept = program.kept().stream().map(String::valueOf).collect(Collectors.joining(","));
    String acts =
        program.acts().stream().map(act -> "  " + act + "\n").collect(Collectors.joining());
    return "%s%n%s, %s:%n%s./mvnw test -pl proxy-core -Dtest=SimulatorTest#replay -D%s=%d -D%s=%s -D%s=%s"
        .formatted(
            violations.isEmpty() ? "nothing" : violations.get(0),
            program.fault(),
            program.replicated() ? "two servers" : "one server",
            acts,
            SEED,
            program.seed(),
            FAULT,
            program.fault(),
            KEEP,
            kept);
  }

  /** Acts of the same, shrunk; 0 if nothing is wrong. */
  public static int acts(long seed) {
    Program program = Program.of(seed);
    List<Violation> violations = new Simulation(program).run().violations();
    return violations.isEmpty()
        ? 0
        : Shrinker.shrink(program, violations.get(0).kind()).kept().size();
  }

  /** Whether nothing is wrong with the history of a seed. */
  public static boolean isRight(long seed) {
    return new Simulation(Program.of(seed)).run().violations().isEmpty();
  }
}

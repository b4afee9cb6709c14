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
  private static final String QUIRKS = "stoa.sim.quirks";
  private static final String SERVERS = "stoa.sim.servers";
  private static final String FEED = "stoa.sim.feed";
  private static final String NONE = "NONE";

  private Replay() {}

  /** What the command line names; by default the first history, as a whole. */
  static Program configured() {
    Program all = program(Long.getLong(SEED, 1), Boolean.getBoolean(FEED));
    String kept = System.getProperty(KEEP, "");
    String fault = System.getProperty(FAULT, "");
    String quirks = System.getProperty(QUIRKS, "");
    Program program = fault.isEmpty() ? all : all.with(Fault.valueOf(fault));
    program = quirks.isEmpty() ? program : program.with(quirks(quirks));
    int servers = Integer.getInteger(SERVERS, 0);
    program = servers == 0 ? program : program.with(servers > 1);
    return kept.isEmpty() ? program : program.only(numbers(kept));
  }

  private static Program program(long seed, boolean fed) {
    return fed ? Program.fed(seed) : Program.of(seed);
  }

  private static Set<Quirk> quirks(String named) {
    return Stream.of(named.split(",", -1))
        .filter(one -> !one.equals(NONE))
        .map(Quirk::valueOf)
        .collect(Collectors.toSet());
  }

  private static Set<Integer> numbers(String kept) {
    return Stream.of(kept.split(",", -1))
        .map(Integer::valueOf)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** What is wrong with a history, shrunk, and how to see it again; empty if nothing is. */
  static String of(Program program) {
    List<Violation> violations = new Simulation(program).run().violations();
    return violations.isEmpty() ? "" : report(Shrinker.shrink(program, violations.get(0).kind()));
  }

  static String report(Program program) {
    List<Violation> violations = new Simulation(program).run().violations();
    String kept = program.kept().stream().map(String::valueOf).collect(Collectors.joining(","));
    String quirks = program.quirks().stream().map(Quirk::name).collect(Collectors.joining(","));
    String acts =
        program.acts().stream().map(act -> "  " + act + "\n").collect(Collectors.joining());
    return ("%s%n%s, %s %s:%n%sas code:%n%s%n./mvnw test -pl proxy-core -Dtest=SimulatorTest#replay"
            + " -D%s=%d -D%s=%s -D%s=%s -D%s=%d -D%s=%s -D%s=%s")
        .formatted(
            violations.isEmpty() ? "nothing" : violations.get(0),
            program.fault(),
            program.quirks(),
            program.replicated() ? "two servers" : "one server",
            acts,
            ActCode.of(program.acts()),
            SEED,
            program.seed(),
            FAULT,
            program.fault(),
            QUIRKS,
            quirks.isEmpty() ? NONE : quirks,
            SERVERS,
            program.replicated() ? 2 : 1,
            FEED,
            program.fed(),
            KEEP,
            kept);
  }

  /** How many acts it takes that the history of a seed breaks a promise. */
  public static String summary(long seed, boolean fed, String fault, String kind) {
    Program program = program(seed, fed).with(Fault.valueOf(fault));
    Program small = Shrinker.shrink(program, Violation.Kind.valueOf(kind));
    return "%d acts, %d servers, %s %s: %s"
        .formatted(
            small.kept().size(), small.replicated() ? 2 : 1, small.fault(), small.quirks(), kind);
  }

  /** The kinds of the promises that the history of a seed breaks, by name. */
  public static Set<String> broken(long seed, boolean fed, String fault) {
    Program program = program(seed, fed).with(Fault.valueOf(fault));
    return new Simulation(program)
        .run().violations().stream().map(one -> one.kind().name()).collect(Collectors.toSet());
  }
}

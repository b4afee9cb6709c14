// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Plays one script to a set-up, and shortens what shows a difference. Stateless. */
public final class Fuzz {
  private static final int ACTS = 900;

  private Fuzz() {}

  /**
   * The outcome of a script. Immutable.
   *
   * @param differences by their signatures
   */
  record Outcome(long requests, long writes, long hits, Map<String, Difference> differences) {}

  /** The script of a round. */
  static List<ScriptStep> script(SetUp setUp, long seed, int round, int acts) {
    long own = 31 * (31 * seed + setUp.name().hashCode()) + round;
    return new Generator(own, setUp.vocabularies(), setUp.identities(), setUp.ways().size())
        .script(acts);
  }

  /**
   * Plays it.
   *
   * @param onlyFirst true if it ends with the first difference
   */
  static Outcome play(SetUp setUp, List<ScriptStep> script, boolean onlyFirst) {
    try (World world = setUp.start(setUp.ways())) {
      Runner runner = new Runner(world);
      Map<String, Difference> differences = new LinkedHashMap<>();
      runner
          .play(script, found -> onlyFirst)
          .forEach(found -> differences.putIfAbsent(found.signature(), found));
      return new Outcome(world.requests(), runner.writes(), world.hits(), differences);
    }
  }

  /**
   * The differences in the answers of one Stoa; for {@link InjectedDefect}.
   *
   * @param name of the set-up
   * @param kind of the Stoa
   * @param shrink whether it is shortened
   */
  public static String firstDifference(long seed, String name, String kind, boolean shrink) {
    SetUp setUp = SetUps.forDefect(name, Stoas.Kind.valueOf(kind));
    List<ScriptStep> script = script(setUp, seed, 0, ACTS);
    return play(setUp, script, true).differences().values().stream()
        .findFirst()
        .map(found -> shrink ? shortened(setUp, script, found) : found.toString())
        .orElse("");
  }

  /** The shortest sequence of acts that shows a difference. */
  static String shortened(SetUp setUp, List<ScriptStep> script, Difference found) {
    Stoas.Kind kind = setUp.ways().get(found.way());
    List<ScriptStep> acts =
        script.subList(0, found.at() + 1).stream()
            .map(act -> act.onlyThrough(found.way()))
            .toList();
    String wanted = found.signature();
    ScriptShrinker shrinker = new ScriptShrinker(some -> replay(setUp, kind, some, wanted));
    Optional<List<ScriptStep>> small = shrinker.shrink(acts);
    StringBuilder text = new StringBuilder(small.isPresent() ? SHORTEST : ONLY_LAST);
    small.orElse(List.of(acts.get(found.at()))).forEach(act -> text.append("\n  ").append(act));
    return text.append('\n').append(shrinker.last().orElse(found)).toString();
  }

  static final String SHORTEST = "shortest sequence:";
  private static final String ONLY_LAST = "no replay shows it; the last act:";

  private static Optional<Difference> replay(
      SetUp setUp, Stoas.Kind kind, List<ScriptStep> script, String wanted) {
    try (World world = setUp.about(script).start(List.of(kind))) {
      return new Runner(world)
          .play(script, found -> found.signature().equals(wanted)).stream()
              .filter(found -> found.signature().equals(wanted))
              .findFirst();
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import io.stoa.fuzz.Stoas.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Plays one script to a set-up, and shortens what shows a difference. Stateless. */
public final class Fuzz {
  private static final int ACTS = 600;

  private Fuzz() {}

  /** What came of a script. Immutable. */
  record Outcome(long requests, long writes, long hits, String wrong) {}

  /** The script of a round. */
  static List<Act> script(SetUp setUp, long seed, int round, int acts) {
    long own = 31 * (31 * seed + setUp.name().hashCode()) + round;
    return new Generator(own, setUp.words(), setUp.identities(), setUp.ways().size()).script(acts);
  }

  /** Plays it; {@link Outcome#wrong} is empty if all answers are right. */
  static Outcome play(SetUp setUp, List<Act> script) {
    Optional<Difference> difference;
    long requests;
    long writes;
    long hits;
    try (World world = setUp.start(setUp.ways())) {
      Runner runner = new Runner(world);
      difference = runner.play(script);
      requests = runner.requests();
      writes = runner.writes();
      hits = world.hits();
    }
    String wrong = difference.map(found -> shortened(setUp, script, found)).orElse("");
    return new Outcome(requests, writes, hits, wrong);
  }

  /** What is wrong with the answers of a Stoa without a feed; for {@link Planted}. */
  public static String wrong(long seed) {
    SetUp setUp = new SlapdSetUp("planted", List.of(), List.of(Kind.PLAIN));
    return play(setUp, script(setUp, seed, 0, ACTS)).wrong();
  }

  private static String shortened(SetUp setUp, List<Act> script, Difference found) {
    Kind kind = setUp.ways().get(found.way());
    List<Act> acts =
        script.subList(0, found.at() + 1).stream()
            .map(act -> act.onlyThrough(found.way()))
            .toList();
    Optional<List<Act>> small = new Shrinker(some -> replay(setUp, kind, some)).shrink(acts);
    List<Act> shown = new ArrayList<>(small.orElse(List.of(acts.get(found.at()))));
    StringBuilder text = new StringBuilder();
    text.append(small.isPresent() ? "shortest sequence:" : "no replay shows it; the last act:");
    shown.forEach(act -> text.append("\n  ").append(act));
    Optional<Difference> last = small.flatMap(some -> replay(setUp, kind, some));
    return text.append('\n').append(last.orElse(found)).toString();
  }

  private static Optional<Difference> replay(SetUp setUp, Kind kind, List<Act> script) {
    try (World world = setUp.start(List.of(kind))) {
      return new Runner(world).play(script);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoa.fuzz.Fuzz.Outcome;
import io.stoa.testing.Soak;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random requests, to a real directory and through Stoas before it: every answer is the
 * directory's, octet for octet. {@code -Dstoa.fuzz=NAME:ROUND} repeats one script of a seed.
 */
@Tag("soak")
class DifferentialFuzzIT {
  private static final int ACTS = Soak.scale(340, 4_000);
  private static final long BUILD_SEED = 3;
  private static final int ROUNDS = Soak.scale(1, 10);

  private static final int MAX_SHOWN = 6;
  private static final int MAX_SEEDS = 5;

  /** Chosen among seeds 1 to 6 because it takes less time to shorten the planted bugs than 1. */
  private static final int FIRST_SEED = 2;

  static Stream<SetUp> setUps() {
    String[] only = selectedScript();
    boolean quick = only.length == 0 && !Soak.isLong();
    return (quick ? SetUps.quick() : SetUps.all())
        .filter(it -> only.length == 0 || it.name().equals(only[0]));
  }

  /** Name and round of the one script that is repeated, if one is. */
  private static String[] selectedScript() {
    String given = System.getProperty("stoa.fuzz", "");
    return given.isEmpty() ? new String[0] : given.split(":");
  }

  /** The build plays the same scripts each time; the long form draws others. */
  private static long seed() {
    return Soak.isLong() || System.getProperty("stoa.seed") != null ? Soak.seed() : BUILD_SEED;
  }

  private static IntStream rounds() {
    String[] only = selectedScript();
    return only.length < 2 ? IntStream.range(0, ROUNDS) : IntStream.of(Integer.parseInt(only[1]));
  }

  /** The long form goes on after a difference, and shows some that are not alike. */
  @ParameterizedTest
  @MethodSource("setUps")
  void everyAnswerIsTheDirectorys(SetUp setUp) {
    long seed = seed();
    long requests = 0;
    long writes = 0;
    long hits = 0;
    Map<String, String> shown = new LinkedHashMap<>();
    for (int round : rounds().toArray()) {
      List<ScriptStep> script = Fuzz.script(setUp, seed, round, ACTS);
      Outcome outcome = Fuzz.play(setUp, script, !Soak.isLong());
      requests += outcome.requests();
      writes += outcome.writes();
      hits += outcome.hits();
      System.out.printf("%s:%d %d requests so far%n", setUp, round, requests);
      outcome.differences().keySet().removeAll(shown.keySet());
      outcome.differences().entrySet().stream()
          .limit(MAX_SHOWN - shown.size())
          .forEach(one -> shown.put(one.getKey(), show(setUp, script, round, one.getValue())));
    }
    Soak.record(
        setUp.name()
            + ": "
            + requests
            + " requests, "
            + writes
            + " writes done, "
            + hits
            + " hits, "
            + (shown.isEmpty() ? "no difference" : shown.size() + " kinds of differences"));
    assertThat(shown.values()).isEmpty();
    assertThat(hits).isPositive();
    assertThat(writes).isPositive();
  }

  /** Shortens a difference, and prints it at once, since a long form may be stopped. */
  private static String show(SetUp setUp, List<ScriptStep> script, int round, Difference found) {
    String text =
        replayCommand(setUp, seed(), round)
            + "\n"
            + found.signature()
            + "\n"
            + Fuzz.shortened(setUp, script, found);
    System.out.println(text);
    return text;
  }

  /** The difference is shown by few requests, unless it needs a feed. */
  @ParameterizedTest
  @EnumSource(InjectedDefect.class)
  void aBugThatIsPutInIsFound(InjectedDefect bug) {
    String found = "";
    for (int seed = FIRST_SEED; seed < FIRST_SEED + MAX_SEEDS && found.isEmpty(); seed++) {
      found = bug.found(seed); // what rests on a feed depends on when it was asked
    }
    if (bug.isShrunk()) {
      assertThat(found).contains(Fuzz.SHORTEST);
      assertThat(found.lines().filter(line -> line.contains(" as ")).count()).isBetween(1L, 8L);
    } else {
      assertThat(found).isNotEmpty();
    }
  }

  private static String replayCommand(SetUp setUp, long seed, int round) {
    return "./dev soak DifferentialFuzzIT -Dstoa.seed="
        + seed
        + " -Dstoa.fuzz="
        + setUp.name()
        + ":"
        + round;
  }
}

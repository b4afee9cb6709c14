// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import io.stoa.testing.Await;
import java.util.List;
import java.util.Optional;

/** Plays a script in one world until an answer is wrong. Confined to the thread of the test. */
final class Runner {
  private static final int BIND = 0x60;

  /** How often the directory is compared anew in case it moved between two answers. */
  private static final int ATTEMPTS = 3;

  private final World world;
  private long requests;
  private long writes;

  Runner(World world) {
    this.world = world;
  }

  /** The first wrong answer, if there is one. */
  Optional<Difference> play(List<Act> script) {
    for (int at = 0; at < script.size(); at++) {
      Optional<Difference> difference = play(at, script.get(at));
      if (difference.isPresent()) {
        return difference;
      }
    }
    return Optional.empty();
  }

  /** How many requests were sent until now, to the directory and to Stoa. */
  long requests() {
    return requests;
  }

  /** How many of them were writes that succeeded. */
  long writes() {
    return writes;
  }

  private Optional<Difference> play(int at, Act act) {
    return switch (act.kind()) {
      case ASK -> ask(at, act);
      case WRITE_THROUGH -> writeThrough(at, act);
      case WRITE_ROUND -> {
        writes += isDone(direct(act)) ? 1 : 0;
        world.ways().forEach(Way::changedElsewhere);
        yield Optional.empty();
      }
    };
  }

  private Optional<Difference> ask(int at, Act act) {
    List<String> direct = direct(act);
    boolean binds = act.request().tag() == BIND;
    for (int way = 0; way < world.ways().size(); way++) {
      for (int time = 0; time < (binds ? 1 : 2); time++) {
        List<String> told = through(way, act);
        if (!told.equals(direct) && !isExcused(way, act)) {
          return Optional.of(difference(at, way, direct, told));
        }
      }
    }
    if (binds) { // a directory may keep when somebody has bound
      world.ways().forEach(Way::changedElsewhere);
    }
    return Optional.empty();
  }

  /** Whether the answer is only as old as is promised, or the directory moves. */
  private boolean isExcused(int way, Act act) {
    boolean mayBeOld = true;
    for (int attempt = 0; attempt < ATTEMPTS || mayBeOld; attempt++) {
      mayBeOld = world.ways().get(way).mayBeOld();
      List<String> before = direct(act);
      List<String> told = through(way, act);
      if (told.equals(before) || told.equals(direct(act))) {
        return true;
      }
      if (mayBeOld) {
        Await.until("the bound has passed", () -> !world.ways().get(way).mayBeOld());
      }
    }
    return false;
  }

  /** A write that was refused is refused by the directory in the same words. */
  private Optional<Difference> writeThrough(int at, Act act) {
    List<String> told = through(act.way(), act);
    for (Way way : world.ways()) {
      if (way != world.ways().get(act.way())) {
        way.changedElsewhere();
      }
    }
    if (isDone(told)) {
      writes++;
      return Optional.empty();
    }
    List<String> direct = direct(act);
    return direct.equals(told)
        ? Optional.empty()
        : Optional.of(difference(at, act.way(), direct, told));
  }

  /** Whether the result code, which is the first element of the response, is success. */
  private static boolean isDone(List<String> told) {
    String response = told.get(told.size() - 1);
    int length = response.length() > 1 ? response.charAt(1) : 0;
    int start = length < 0x80 ? 2 : 2 + (length & 0x7f);
    return response.length() > start + 2
        && response.charAt(start) == 0x0a
        && response.charAt(start + 2) == 0;
  }

  private Difference difference(int at, int way, List<String> direct, List<String> told) {
    return new Difference(at, way, world.ways().get(way).toString(), direct, told);
  }

  private List<String> direct(Act act) {
    requests++;
    return world.direct().call(act.who(), act.request());
  }

  private List<String> through(int way, Act act) {
    requests++;
    return world.ways().get(way).call(act.who(), act.request());
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.fuzz;

import io.stoa.fuzz.ScriptStep.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Finds the shortest script that shows a difference, by replays in fresh worlds. Confined to the
 * thread of the test.
 */
final class ScriptShrinker {
  private static final int MAX_RUNS = 80;

  /** A longer script is not played again: it would not become short. */
  private static final int MAX_ACTS = 512;

  private final Function<List<ScriptStep>, Optional<Difference>> replay;
  private int runs;
  private Optional<Difference> last = Optional.empty();

  /**
   * @param replay plays a script in a fresh world
   */
  ScriptShrinker(Function<List<ScriptStep>, Optional<Difference>> replay) {
    this.replay = replay;
  }

  /** The shortest that was found; empty if no replay showed a difference. */
  Optional<List<ScriptStep>> shrink(List<ScriptStep> script) {
    return tail(script).map(this::smallest);
  }

  /** The difference that was shown last. */
  Optional<Difference> last() {
    return last;
  }

  /** The last acts, as few as show it, doubling; at last also all binds before them. */
  private Optional<List<ScriptStep>> tail(List<ScriptStep> script) {
    int count = 2;
    for (; count < 2 * script.size() && count <= MAX_ACTS; count *= 2) {
      List<ScriptStep> last = script.subList(Math.max(0, script.size() - count), script.size());
      Optional<List<ScriptStep>> shown = failingPrefix(last);
      Optional<List<ScriptStep>> slow = shown.isPresent() ? shown : failingPrefix(withPauses(last));
      if (slow.isPresent()) {
        return slow;
      }
    }
    int from = Math.max(0, script.size() - count / 2);
    List<ScriptStep> bound =
        new ArrayList<>(script.subList(0, from).stream().filter(ScriptStep::binds).toList());
    bound.addAll(script.subList(from, script.size()));
    return from == 0 ? Optional.empty() : failingPrefix(bound);
  }

  /**
   * The same with each search before a write asked again after a pause: an answer may rest on a
   * feed only then, as it did in the long script.
   */
  private static List<ScriptStep> withPauses(List<ScriptStep> script) {
    List<ScriptStep> slow = new ArrayList<>();
    for (ScriptStep act : script) {
      boolean writes = act.kind() == Kind.WRITE_THROUGH || act.kind() == Kind.WRITE_ROUND;
      if (writes && !slow.isEmpty()) {
        List<ScriptStep> before =
            slow.stream().filter(it -> it.kind() == Kind.ASK).distinct().toList();
        slow.add(ScriptStep.pause(act.vocabulary()));
        slow.addAll(before);
      }
      slow.add(act);
    }
    return slow;
  }

  /** The script up to the act that shows it. */
  private Optional<List<ScriptStep>> failingPrefix(List<ScriptStep> script) {
    runs++;
    Optional<Difference> found = replay.apply(script);
    last = found.or(() -> last);
    return found.map(it -> List.copyOf(script.subList(0, it.at() + 1)));
  }

  private List<ScriptStep> smallest(List<ScriptStep> script) {
    List<ScriptStep> small = script;
    int part = Math.max(1, small.size() / 2);
    while (runs < MAX_RUNS) {
      List<ScriptStep> less = without(small, part);
      if (less.size() == small.size() && part == 1) {
        return small;
      }
      part = less.size() == small.size() ? part / 2 : Math.min(part, less.size());
      small = less;
    }
    return small;
  }

  /** Leaves out parts of a length wherever the rest shows it still. */
  private List<ScriptStep> without(List<ScriptStep> script, int part) {
    List<ScriptStep> small = script;
    for (int from = 0; from < small.size() && runs < MAX_RUNS; ) {
      List<ScriptStep> less = new ArrayList<>(small);
      less.subList(from, Math.min(from + part, small.size())).clear();
      Optional<List<ScriptStep>> shown = less.isEmpty() ? Optional.empty() : failingPrefix(less);
      if (shown.isPresent()) {
        small = shown.get();
      } else {
        from += part;
      }
    }
    return small;
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.coherence.invalidation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Who applies a change and who fills a view, each cut into its atomic steps, in every order in
 * which they can happen on a machine whose processors buffer what they store. A view that is kept
 * although it was read before the change would be stale for good.
 */
class RingRaceTest {
  /** What memory holds: the ring, the index, and the state of the view. */
  private static final int FIRST_CHANGE = 0;

  private static final int SECOND_CHANGE = 1;
  private static final int REGISTERED = 2;
  private static final int VIEW = 3;
  private static final int PLACES = 4;

  private static final int PENDING = 0;
  private static final int KEPT = 1;
  private static final int DEAD = 2;

  /** One step of a thread; does nothing if what it depends on was not seen. */
  private sealed interface Step {}

  /** Lies in the processor's buffer at first. */
  private record Store(int place) implements Step {}

  /** Empties the buffer. */
  private record Fence() implements Step {}

  /** Looks, and remembers in that register whether it was there. */
  private record Load(int place, int register) implements Step {}

  /** Kills the view if it was found. */
  private record InvalidateIf(int register) implements Step {}

  /** Keeps the view if none of the changes was found, and it is still pending. */
  private record KeepUnless(Set<Integer> registers) implements Step {}

  /** The owner drops the view. */
  private record Evict() implements Step {}

  private static List<Step> apply(int change, boolean fence) {
    List<Step> steps = new ArrayList<>();
    steps.add(new Store(change));
    if (fence) {
      steps.add(new Fence());
    }
    steps.add(new Load(REGISTERED, 0));
    steps.add(new InvalidateIf(0));
    return steps;
  }

  private static List<Step> fill(boolean fence) {
    List<Step> steps = new ArrayList<>();
    steps.add(new Store(REGISTERED));
    if (fence) {
      steps.add(new Fence());
    }
    steps.add(new Load(FIRST_CHANGE, 0));
    steps.add(new Load(SECOND_CHANGE, 1));
    steps.add(new KeepUnless(Set.of(0, 1)));
    return steps;
  }

  /** All threads in the middle of something. Immutable by convention: steps copy it. */
  private static final class Machine {
    private final List<List<Step>> programs;
    private final int[] memory;
    private final int[] at;
    private final boolean[][] registers;
    private final List<Deque<Integer>> buffers;

    Machine(List<List<Step>> programs) {
      this.programs = programs;
      memory = new int[PLACES];
      at = new int[programs.size()];
      registers = new boolean[programs.size()][2];
      buffers = new ArrayList<>();
      programs.forEach(program -> buffers.add(new ArrayDeque<>()));
    }

    private Machine(Machine other) {
      programs = other.programs;
      memory = other.memory.clone();
      at = other.at.clone();
      registers = new boolean[other.registers.length][];
      Arrays.setAll(registers, i -> other.registers[i].clone());
      buffers = new ArrayList<>();
      other.buffers.forEach(buffer -> buffers.add(new ArrayDeque<>(buffer)));
    }

    /** Whatever can happen next. */
    List<Machine> next() {
      List<Machine> next = new ArrayList<>();
      for (int thread = 0; thread < at.length; thread++) {
        if (!buffers.get(thread).isEmpty()) {
          Machine drained = new Machine(this);
          drained.drainOne(thread);
          next.add(drained);
        }
        if (at[thread] < programs.get(thread).size()) {
          Machine moved = new Machine(this);
          moved.step(thread);
          next.add(moved);
        }
      }
      return next;
    }

    private void drainOne(int thread) {
      memory[buffers.get(thread).removeFirst()] = 1;
    }

    private void drain(int thread) {
      while (!buffers.get(thread).isEmpty()) {
        drainOne(thread);
      }
    }

    private void step(int thread) {
      Step step = programs.get(thread).get(at[thread]++);
      if (step instanceof Store store) {
        buffers.get(thread).addLast(store.place());
      } else if (step instanceof Load load) {
        registers[thread][load.register()] =
            buffers.get(thread).contains(load.place()) || memory[load.place()] != 0;
      } else {
        drain(thread);
        change(thread, step);
      }
    }

    /** What compares and swaps empties the buffer, too. */
    private void change(int thread, Step step) {
      if (step instanceof InvalidateIf kill && registers[thread][kill.register()]) {
        memory[VIEW] = DEAD;
      } else if (step instanceof KeepUnless keep
          && memory[VIEW] == PENDING
          && keep.registers().stream().noneMatch(it -> registers[thread][it])) {
        memory[VIEW] = KEPT;
      } else if (step instanceof Evict) {
        memory[VIEW] = DEAD;
      }
    }

    boolean isOver() {
      return next().isEmpty();
    }

    boolean isKept() {
      return memory[VIEW] == KEPT;
    }

    String key() {
      return Arrays.toString(memory)
          + Arrays.toString(at)
          + Arrays.deepToString(registers)
          + buffers;
    }
  }

  /** All ends that can be reached. */
  private static List<Machine> ends(List<List<Step>> programs) {
    Deque<Machine> open = new ArrayDeque<>();
    Set<String> seen = new HashSet<>();
    List<Machine> ends = new ArrayList<>();
    open.add(new Machine(programs));
    while (!open.isEmpty()) {
      Machine machine = open.removeLast();
      if (seen.add(machine.key())) {
        open.addAll(machine.next());
        if (machine.isOver()) {
          ends.add(machine);
        }
      }
    }
    return ends;
  }

  @Test
  void noChangeIsMissedInAnyInterleaving() {
    List<Machine> ends = ends(List.of(apply(FIRST_CHANGE, true), fill(true)));
    assertThat(ends).isNotEmpty().noneMatch(Machine::isKept);
  }

  @Test
  void neitherOfTwoChangesIsMissedInAnyInterleaving() {
    List<Step> both = new ArrayList<>(apply(FIRST_CHANGE, true));
    both.addAll(apply(SECOND_CHANGE, true));
    assertThat(ends(List.of(both, fill(true)))).isNotEmpty().noneMatch(Machine::isKept);
  }

  @Test
  void noChangeIsMissedDuringAnEviction() {
    List<List<Step>> all = List.of(apply(FIRST_CHANGE, true), fill(true), List.of(new Evict()));
    assertThat(ends(all)).isNotEmpty().noneMatch(Machine::isKept);
  }

  /** So that the orders in which a fence matters are among those that are tried. */
  @Test
  void aChangeIsMissedWithoutEitherFence() {
    assertThat(ends(List.of(apply(FIRST_CHANGE, false), fill(true)))).anyMatch(Machine::isKept);
    assertThat(ends(List.of(apply(FIRST_CHANGE, true), fill(false)))).anyMatch(Machine::isKept);
  }

  @Test
  void aReaderThatChecksBeforeItRegistersMissesChanges() {
    List<Step> wrong = new ArrayList<>(fill(true));
    wrong.add(2, wrong.remove(0));
    assertThat(ends(List.of(apply(FIRST_CHANGE, true), wrong))).anyMatch(Machine::isKept);
  }
}

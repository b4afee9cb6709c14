// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.sim.Draws.Stream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * What happens in one history: all of it follows from the seed, and each act from its own number,
 * so that any of them can be left out. Immutable.
 *
 * @param fault what goes wrong
 * @param kept the acts that are done
 */
record Program(long seed, Fault fault, Set<Integer> kept) {
  static final int ACTS = 220;

  private static final long BETWEEN = 50 * Faults.MILLIS;
  private static final int ALONE_PERCENT = 30;
  private static final List<List<String>> SELECTIONS =
      List.of(
          List.of(), List.of(SimTree.FLAG, "serialNumber"), List.of("serialNumber", SimTree.PHONE));
  private static final List<String> FILTERS =
      List.of("(l=%s)", "(&(objectClass=person)(l=%s))", "(!(l=%s))", "(|(l=%s)(l=f0))");

  /** All of it. */
  static Program of(long seed) {
    Fault[] faults = Fault.values();
    int drawn = new Draws(seed).of(Stream.SETUP, 1).nextInt(faults.length);
    Set<Integer> all = new TreeSet<>(IntStream.range(0, ACTS).boxed().toList());
    return new Program(seed, faults[drawn], all);
  }

  Program only(Set<Integer> less) {
    return new Program(seed, fault, new TreeSet<>(less));
  }

  Program with(Fault other) {
    return new Program(seed, other, kept);
  }

  Draws draws() {
    return new Draws(seed);
  }

  /** Whether there is a replica. */
  boolean replicated() {
    return draws().of(Stream.SETUP, 2).nextInt(100) >= ALONE_PERCENT;
  }

  Faults faults() {
    return Faults.of(draws(), fault, length());
  }

  static long length() {
    return ACTS * BETWEEN;
  }

  List<Act> acts() {
    List<Act> acts = new ArrayList<>();
    kept.forEach(number -> acts.add(act(number)));
    return acts;
  }

  private Act act(int number) {
    SplittableRandom random = draws().of(Stream.ACT, number);
    long at = number * BETWEEN + random.nextLong(BETWEEN);
    int client = random.nextInt(World.CLIENTS.size());
    int kind = random.nextInt(100);
    if (kind < 82) {
      return new Act.Ask(number, at, client, search(random, World.CLIENTS.get(client)));
    }
    return kind < 88
        ? new Act.Tell(number, at, client, change(random))
        : new Act.Round(number, at, change(random));
  }

  private static SimSearch search(SplittableRandom random, String identity) {
    List<String> shown = SELECTIONS.get(random.nextInt(1 + random.nextInt(SELECTIONS.size())));
    int kind = random.nextInt(100);
    if (kind < 60) {
      return new SimSearch(identity, person(random), 0, "(objectClass=*)", shown);
    }
    String filter =
        FILTERS.get(random.nextInt(1 + random.nextInt(FILTERS.size()))).formatted(flag(random));
    return kind < 85
        ? new SimSearch(identity, World.SUFFIX, 2, filter, shown)
        : new SimSearch(identity, container(random), 1, filter, shown);
  }

  private static SimChange change(SplittableRandom random) {
    int kind = random.nextInt(100);
    if (kind < 60) {
      return new SimChange(SimChange.Kind.MODIFY, person(random), flag(random));
    }
    if (kind < 72) {
      return new SimChange(SimChange.Kind.ADD, person(random), flag(random));
    }
    if (kind < 82) {
      return new SimChange(SimChange.Kind.DELETE, person(random), "");
    }
    return kind < 92
        ? new SimChange(SimChange.Kind.RENAME, person(random), person(random))
        : new SimChange(SimChange.Kind.RENAME, container(random), container(random));
  }

  /** Some are asked for more often than others. */
  private static String person(SplittableRandom random) {
    double drawn = random.nextDouble();
    int number = (int) (World.PEOPLE * drawn * drawn * drawn);
    boolean home = random.nextInt(100) < 92;
    return World.person(number, home ? number % 3 : random.nextInt(World.CONTAINERS));
  }

  private static String container(SplittableRandom random) {
    return World.container(random.nextInt(World.CONTAINERS));
  }

  private static String flag(SplittableRandom random) {
    return World.flag(random.nextInt(3));
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.sim.StatelessRandom.Stream;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * What happens in one history. Delays and faults follow from the seed. An act follows from the seed
 * and its own number, so that others can be left out, or is written down in the script.
 *
 * <p>Threading: immutable.
 *
 * @param fault the fault that is injected
 * @param quirks peculiarities of the servers
 * @param setting the servers and the feed
 * @param kept the numbers of the acts that are done
 * @param script acts by number that are not drawn; empty if all are
 */
record Program(
    long seed,
    Fault fault,
    Set<Quirk> quirks,
    Setting setting,
    Set<Integer> kept,
    Map<Integer, Act> script) {
  static final int ACTS = 204;

  static final long BETWEEN = 50 * Faults.MILLIS;

  private static final int ALONE_PERCENT = 30;
  private static final int MAX_QUIRKS = 3;

  /** In one of so many histories with a feed groups are put right without a word. */
  private static final int REPAIRED_ONE_OF = 6;

  /**
   * What there is. Immutable.
   *
   * @param replicated whether there is a replica
   * @param fed whether answers may rest on a feed
   */
  record Setting(boolean replicated, boolean fed) {}

  /** All of it, where there is no feed. */
  static Program of(long seed) {
    return of(seed, Fault.WITHOUT_FEED, Quirk.WITHOUT_FEED);
  }

  /**
   * All of it, where answers rest on a feed: often before they show what it tells. What is told and
   * undone is told more often where it may be given.
   */
  static Program fed(long seed) {
    Program drawn = of(seed, Fault.WITH_FEED, Quirk.WITH_FEED).withFeed();
    Set<Quirk> more = EnumSet.noneOf(Quirk.class);
    more.addAll(drawn.quirks());
    if (seed % 2 == 0) {
      more.add(Quirk.EARLY_NOTICE);
    }
    if (drawn.uniform() && drawn.draws().of(Stream.SETUP, 3).nextBoolean()) {
      more.add(Quirk.PHANTOM);
    }
    if (drawn.draws().of(Stream.SETUP, 5).nextInt(REPAIRED_ONE_OF) == 0) {
      more.add(Quirk.HIDDEN_REFINT);
    }
    return drawn.with(more);
  }

  /**
   * All of it.
   *
   * @param faults one of which happens
   * @param all of which there are a few
   */
  static Program of(long seed, List<Fault> faults, List<Quirk> all) {
    SplittableRandom random = new StatelessRandom(seed).of(Stream.SETUP, 1);
    Fault fault = faults.get(random.nextInt(faults.size()));
    Set<Quirk> quirks = EnumSet.noneOf(Quirk.class);
    int count = random.nextInt(MAX_QUIRKS + 1);
    for (int i = 0; i < count; i++) {
      quirks.add(all.get(random.nextInt(all.size())));
    }
    Set<Integer> acts = new TreeSet<>(IntStream.range(0, ACTS).boxed().toList());
    boolean replicated = random.nextInt(100) >= ALONE_PERCENT;
    return new Program(seed, fault, quirks, new Setting(replicated, false), acts, Map.of());
  }

  /** The same with these acts, and no others. */
  Program of(Act... acts) {
    Map<Integer, Act> written = new TreeMap<>();
    for (Act act : acts) {
      written.put(act.number(), act);
    }
    return new Program(seed, fault, quirks, setting, written.keySet(), written);
  }

  Program only(Set<Integer> less) {
    return new Program(seed, fault, quirks, setting, new TreeSet<>(less), script);
  }

  Program with(Fault other) {
    return new Program(seed, other, quirks, setting, kept, script);
  }

  Program with(Set<Quirk> others) {
    return new Program(seed, fault, others, setting, kept, script);
  }

  StatelessRandom draws() {
    return new StatelessRandom(seed);
  }

  Program with(boolean replica) {
    return new Program(seed, fault, quirks, new Setting(replica, fed()), kept, script);
  }

  private Program withFeed() {
    return new Program(seed, fault, quirks, new Setting(replicated(), true), kept, script);
  }

  boolean replicated() {
    return setting.replicated();
  }

  boolean fed() {
    return setting.fed();
  }

  /** Whether what somebody is given is changed in place. */
  boolean uniform() {
    return fed() && faults().isUniform();
  }

  /** Whether what is in memory is compared with the directory, since nothing else sets it right. */
  boolean compared() {
    return fed() && fault == Fault.HOLE;
  }

  /** The same with two servers, and with something that goes wrong. */
  Program harder() {
    List<Fault> faults = fed() ? Fault.WITH_FEED : Fault.WITHOUT_FEED;
    int drawn = new StatelessRandom(seed).of(Stream.SETUP, 2).nextInt(1, faults.size());
    return with(true).with(fault == Fault.NONE ? faults.get(drawn) : fault);
  }

  Faults faults() {
    return Faults.of(draws(), fault, quirks, length());
  }

  static long length() {
    return ACTS * BETWEEN;
  }

  List<Act> acts() {
    List<Act> acts = new ArrayList<>();
    kept.forEach(
        number -> {
          Act written = script.get(number);
          acts.add(written == null ? ActGenerator.of(draws(), number, fed()) : written);
        });
    return acts;
  }
}

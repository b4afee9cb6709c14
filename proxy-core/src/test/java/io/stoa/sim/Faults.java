// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.coherence.rights.DerivedConfig;
import io.stoa.sim.StatelessRandom.Stream;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * How long things take in one history, and what goes wrong with them. Immutable.
 *
 * @param fault what goes wrong
 * @param quirks how the servers behave
 * @param from when it begins
 * @param until when it is over
 */
record Faults(StatelessRandom draws, Fault fault, Set<Quirk> quirks, long from, long until) {
  static final long MILLIS = 1_000_000;

  /** No change is longer on its way to the replica than this. */
  static final long MAX_LAG = 4_000 * MILLIS;

  /** All loops stand still for so long. */
  static final long PAUSE = 10_000 * MILLIS;

  private static final long MAX_REPLICATION = 80 * MILLIS;
  private static final long MAX_WAY = 2 * MILLIS;
  private static final long MAX_SLOW_WAY = 900 * MILLIS;
  private static final long MAX_NOTICE = 300 * MILLIS;
  private static final long MAX_TRANSACTION = 3_000 * MILLIS;
  private static final long MAX_PENDING = 15 * MILLIS;
  private static final int SLOW_PERCENT = 10;

  /** When it begins, and how long it lasts, is drawn too. */
  static Faults of(StatelessRandom draws, Fault fault, Set<Quirk> quirks, long length) {
    SplittableRandom random = draws.of(Stream.FAULT, 0);
    long from = VirtualTime.START + random.nextLong(length);
    long drawn = from + random.nextLong(200 * MILLIS, MAX_LAG);
    return new Faults(
        draws, fault, quirks, from, fault == Fault.LOOPS_PAUSED ? from + PAUSE : drawn);
  }

  boolean has(Quirk quirk) {
    return quirks.contains(quirk);
  }

  /** Whether a feed tells of all that there is. */
  boolean seesAll() {
    return !has(Quirk.HIDDEN_SUBTREE);
  }

  /** What an administrator has to declare of what follows from changes without a word. */
  DerivedConfig derived() {
    DerivedConfig usual = DerivedConfig.DEFAULTS;
    return has(Quirk.HIDDEN_REFINT)
        ? usual.union(new DerivedConfig(List.of(), List.of(SimGroups.MEMBER), List.of()))
        : usual;
  }

  /**
   * Whether what those are given who see all is changed in place as a feed tells it: by the seed
   * alone, so that the others are as they would be without that. Where a change is lost nothing is:
   * what is found wrong for one of many is looked into by a clock that is not virtual.
   */
  boolean isUniform() {
    return seesAll() && fault != Fault.HOLE && Math.floorMod(draws.seed(), 9) > 3;
  }

  /** As whom a feed is read. */
  String feedIdentity() {
    return has(Quirk.HIDDEN_SUBTREE) ? SimNames.FEED : SimNames.ADMIN;
  }

  /** Whether something is going wrong. */
  boolean now(Fault which, long when) {
    return fault == which && when >= from && when < until;
  }

  /** When a change that is made now reaches the replica. */
  long arrival(int csn, long now) {
    SplittableRandom random = draws.of(Stream.REPLICATION, csn);
    if (now(Fault.REPLICA_LAG, now)) {
      return now + random.nextLong(MAX_LAG);
    }
    long arrival = now + random.nextLong(MAX_REPLICATION);
    return now(Fault.REPLICA_CUT, arrival) ? until : arrival;
  }

  /** Whether a replica keeps what it was told of a transaction that was aborted. */
  boolean keepsUndone(int csn) {
    return draws.of(Stream.REPLICATION, -csn).nextInt(4) > 0;
  }

  /** How long a transaction is announced before it is read. */
  long notice(int csn) {
    if (!has(Quirk.EARLY_NOTICE)) {
      return 0;
    }
    SplittableRandom random = draws.of(Stream.WRITE, -csn);
    return random.nextLong(random.nextInt(4) == 0 ? MAX_TRANSACTION : MAX_NOTICE);
  }

  /** For how long a CSN below the one of a change is pending. */
  long pending(int csn) {
    if (!has(Quirk.PENDING_CSN)) {
      return 0;
    }
    SplittableRandom random = draws.of(Stream.PROBE, -csn);
    return random.nextInt(3) > 0 ? 0 : random.nextLong(MAX_PENDING);
  }

  /** How long an operation is on its way to the server, or back: mostly not long. */
  static long way(SplittableRandom random) {
    boolean slow = random.nextInt(100) < SLOW_PERCENT;
    return random.nextLong(slow ? MAX_SLOW_WAY : MAX_WAY) + 1;
  }

  /** When the primary sees what reaches it at a time. */
  long seen(long arrival) {
    return now(Fault.PRIMARY_SILENT, arrival) ? until : arrival;
  }

  /** Whether the answer to a write is lost: there are few writes, so that lasts. */
  boolean losesAnswer(SplittableRandom random) {
    return random.nextBoolean() && fault == Fault.WRITE_ANSWER_LOST;
  }

  /** Whether a server that is asked now does not tell how far it has got. */
  boolean losesProbe(SplittableRandom random, long now) {
    return random.nextInt(4) > 0 && now(Fault.PROBE_LOST, now);
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.sharing;

import io.stoa.cache.sharing.VerifiableHit.Hit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The hits of members of a class that were to be verified and could not be, by who they are. They
 * are kept when nothing else is known of the identity any more: else it would be rid of them as
 * soon as enough others have come. Thread-safe.
 */
final class PendingVerifications {
  /**
   * If so many owe, nobody who is on probation shares; and whoever would owe beyond that is put on
   * probation instead.
   */
  static final int MOST = 10_000;

  /** The same for what they owe: each hit is kept with a request and its answer. */
  static final long MOST_OCTETS = 16 << 20;

  /** What could not be asked is not asked again more often. */
  static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Whoever has owed for longer makes room for others if there is none. */
  static final long OLD_NANOS = TimeUnit.HOURS.toNanos(1);

  /** It is not looked more often who has: that walks through all. */
  static final long LOOK_NANOS = TimeUnit.MINUTES.toNanos(1);

  private static final int OVERHEAD = 400;

  private final Map<CanonicalIdentity, Debt> all = new ConcurrentHashMap<>();
  private final AtomicLong octets = new AtomicLong();
  private final AtomicBoolean told = new AtomicBoolean();
  private final Consumer<CanonicalIdentity> renewed;
  private @Nullable Long lookedNanos;

  /**
   * Makes it without any.
   *
   * @param renewed has each hit of somebody be verified, of whom one is not kept
   */
  PendingVerifications(Consumer<CanonicalIdentity> renewed) {
    this.renewed = renewed;
  }

  /** What one of them owes. Guarded by the map in which it is. */
  private static final class Debt {
    /** Whether each is being asked again. */
    private final Map<Hit, Boolean> hits = new HashMap<>(2);

    private final long sinceNanos;
    private @Nullable Long askedNanos;

    Debt(long now) {
      sinceNanos = now;
    }
  }

  private static long size(Hit hit) {
    return OVERHEAD + hit.octets();
  }

  /** Whether somebody owes anything. */
  boolean isOwing(CanonicalIdentity who) {
    return all.containsKey(who);
  }

  /** How many do. */
  int count() {
    return all.size();
  }

  /** Whether so much is owed that nobody who is on probation may share. */
  boolean isFull(long now) {
    if (isFull() && isToLook(now)) {
      all.forEach(
          (who, debt) -> {
            if (now - debt.sinceNanos >= OLD_NANOS) {
              renewed.accept(who); // first: it must not share without being verified
              drop(who);
            }
          });
    }
    return isFull();
  }

  private boolean isFull() {
    return all.size() >= MOST || octets.get() >= MOST_OCTETS;
  }

  private synchronized boolean isToLook(long now) {
    Long last = lookedNanos;
    boolean due = last == null || now - last >= LOOK_NANOS;
    if (due) {
      lookedNanos = now;
    }
    return due;
  }

  /**
   * Somebody owes a hit, and is not asked for it now. Where there is no room for it, it is on
   * probation at least, and so shares nothing until there is.
   *
   * @return whether people are to be told that there are too many who do
   */
  boolean add(CanonicalIdentity who, Hit hit, long now) {
    all.compute(who, (key, known) -> with(known, hit, now));
    if (!test(who, debt -> debt.hits.containsKey(hit))) {
      renewed.accept(who);
    }
    return isFull() && told.compareAndSet(false, true); // once, until there are far fewer
  }

  private @Nullable Debt with(@Nullable Debt known, Hit hit, long now) {
    boolean owed = known != null && known.hits.replace(hit, false) != null;
    boolean room = octets.get() < MOST_OCTETS && (known != null || all.size() < MOST);
    if (owed || !room) {
      return known;
    }
    Debt debt = known == null ? new Debt(now) : known;
    debt.hits.put(hit, false);
    octets.addAndGet(size(hit));
    return debt;
  }

  /** Those that somebody is to be asked for now. */
  List<Hit> due(CanonicalIdentity who, long now) {
    List<Hit> due = new ArrayList<>();
    all.computeIfPresent(
        who,
        (key, debt) -> {
          Long last = debt.askedNanos;
          if (last == null || now - last >= AGAIN_NANOS) {
            debt.askedNanos = now;
            due.addAll(debt.hits.keySet());
          }
          return debt;
        });
    return due;
  }

  /** It is asked for one of them: it is paid then, or added again. False if it is asked already. */
  boolean asks(CanonicalIdentity who, Hit hit) {
    return test(who, debt -> debt.hits.replace(hit, false, true));
  }

  /** Whether somebody is being asked for one. */
  boolean isAsked(CanonicalIdentity who) {
    return test(who, debt -> debt.hits.containsValue(true));
  }

  private boolean test(CanonicalIdentity who, Predicate<Debt> test) {
    boolean[] passed = {false};
    all.computeIfPresent(
        who,
        (key, debt) -> {
          passed[0] = test.test(debt);
          return debt;
        });
    return passed[0];
  }

  /** It is known what upstream says to a hit. */
  void paid(CanonicalIdentity who, Hit hit) {
    all.computeIfPresent(
        who,
        (key, debt) -> {
          if (debt.hits.remove(hit) != null) {
            octets.addAndGet(-size(hit));
          }
          return debt.hits.isEmpty() ? null : debt;
        });
    fewer();
  }

  private void drop(CanonicalIdentity who) {
    all.computeIfPresent(
        who,
        (key, debt) -> {
          debt.hits.keySet().forEach(hit -> octets.addAndGet(-size(hit)));
          return null;
        });
    fewer();
  }

  private void fewer() {
    if (all.size() < MOST / 2 && octets.get() < MOST_OCTETS / 2) {
      told.set(false);
    }
  }

  /** Nobody owes anything. */
  void clear() {
    all.keySet().forEach(this::drop);
  }
}

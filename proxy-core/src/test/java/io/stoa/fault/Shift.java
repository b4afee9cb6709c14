// SPDX-License-Identifier: Apache-2.0
package io.stoa.fault;

import java.util.Collection;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/** What all clients did while one fault lasted. Thread-safe. */
final class Shift {
  /** The ends that a client's operation can have. */
  enum End {
    READ,
    /**
     * What was acknowledged, and no server has of which Stoa can know: the older value was read.
     */
    UNREADABLE,
    BIND,
    WRITTEN,
    NOT_WRITTEN,
    OUTCOME_UNKNOWN
  }

  private static final int MOST_TOLD = 5;

  private final String fault;
  private final Map<End, AtomicLong> ends = new EnumMap<>(End.class);
  private final AtomicLong worst = new AtomicLong();
  private final Queue<String> failures = new ConcurrentLinkedQueue<>();
  private final AtomicLong failed = new AtomicLong();

  Shift(String fault) {
    this.fault = fault;
    for (End end : End.values()) {
      ends.put(end, new AtomicLong());
    }
  }

  /** An operation ended so; how long a read or a bind took counts as a pause. */
  void ended(End end, long nanos) {
    ends.get(end).incrementAndGet();
    if (end == End.READ || end == End.BIND) {
      worst.accumulateAndGet(nanos, Math::max);
    }
  }

  /** Something happened that may not happen. */
  void failed(String what) {
    if (failed.incrementAndGet() <= MOST_TOLD) {
      failures.add(fault + ": " + what);
    }
  }

  /** The first of them. */
  Collection<String> failures() {
    return failures;
  }

  long count(End end) {
    return ends.get(end).get();
  }

  long worstMillis() {
    return TimeUnit.NANOSECONDS.toMillis(worst.get());
  }

  /** One line for the record. */
  @Override
  public String toString() {
    String counts =
        ends.entrySet().stream()
            .map(end -> end.getValue() + " " + end.getKey().name().toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(", "))
            .replace('_', ' ');
    return "%s: worst pause %d ms; %s; %d failed"
        .formatted(fault, worstMillis(), counts, failed.get());
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.fault;

import io.stoa.testing.Standstill;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

/** What all clients did while one fault lasted. Thread-safe. */
final class FaultReport {
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

  private static final int MAX_REPORTED = 5;

  /** For how long something took, and what that was. */
  private record Pause(long nanos, String of) {
    Pause or(Pause other) {
      return other.nanos > nanos ? other : this;
    }

    @Override
    public String toString() {
      return "%d ms (%s)".formatted(TimeUnit.NANOSECONDS.toMillis(nanos), of);
    }
  }

  private final String fault;
  private final Standstill machine;
  private final Map<End, AtomicLong> ends = new EnumMap<>(End.class);
  private final long begun = System.nanoTime();
  private final AtomicReference<Pause> worst = new AtomicReference<>(new Pause(0, "nothing"));
  private final Queue<String> failures = new ConcurrentLinkedQueue<>();
  private final AtomicLong failed = new AtomicLong();

  FaultReport(String fault, Standstill machine) {
    this.fault = fault;
    this.machine = machine;
    for (End end : End.values()) {
      ends.put(end, new AtomicLong());
    }
  }

  /** Something ended so. */
  void ended(End end) {
    ends.get(end).incrementAndGet();
  }

  /**
   * A read or a bind ended so; how long it took counts as a pause, but for what the machine did
   * something else meanwhile.
   *
   * @param what what was asked, for the record
   */
  void ended(End end, String what, long sent, long answered) {
    if (answered - sent > worst.get().nanos()) {
      long nanos = machine.nanos(sent, answered);
      long since = TimeUnit.NANOSECONDS.toMillis(sent - begun);
      worst.accumulateAndGet(new Pause(nanos, what + " sent after " + since + " ms"), Pause::or);
    }
    ended(end);
  }

  /** Something happened that may not happen. */
  void failed(String what) {
    if (failed.incrementAndGet() <= MAX_REPORTED) {
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
    return TimeUnit.NANOSECONDS.toMillis(worst.get().nanos());
  }

  /** One line for the record. */
  @Override
  public String toString() {
    String counts =
        ends.entrySet().stream()
            .map(end -> end.getValue() + " " + end.getKey().name().toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(", "))
            .replace('_', ' ');
    return "%s: worst pause %s; %s; %d failed".formatted(fault, worst.get(), counts, failed.get());
  }
}

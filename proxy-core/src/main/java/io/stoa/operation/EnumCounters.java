// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/**
 * A counter for each constant of an enum. The map is complete from the beginning.
 *
 * <p>Threading: thread-safe.
 *
 * @param <E> the enum
 */
public final class EnumCounters<E extends Enum<E>> {
  private final Map<E, LongAdder> counters;

  /** Creates counters at 0. */
  public EnumCounters(Class<E> type) {
    counters = new EnumMap<>(type);
    for (E constant : type.getEnumConstants()) {
      counters.put(constant, new LongAdder());
    }
  }

  /** Counts one event. */
  public void increment(E constant) {
    counter(constant).increment();
  }

  /** Adds a number of events, or an amount. */
  public void add(E constant, long number) {
    counter(constant).add(number);
  }

  /** Returns the sum since the start. */
  public long get(E constant) {
    return counter(constant).sum();
  }

  private LongAdder counter(E constant) {
    return Objects.requireNonNull(counters.get(constant));
  }
}

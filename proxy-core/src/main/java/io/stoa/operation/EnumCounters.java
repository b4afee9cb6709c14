// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.stoa.net.transport.StripedCounters;

/**
 * A counter for each constant of an enum.
 *
 * <p>Threading: thread-safe.
 *
 * @param <E> the enum
 */
public final class EnumCounters<E extends Enum<E>> {
  private final StripedCounters counters;

  /** Creates counters at 0. */
  public EnumCounters(Class<E> type) {
    counters = new StripedCounters(type.getEnumConstants().length);
  }

  /** Counts one event. */
  public void increment(E constant) {
    counters.add(index(constant), 1);
  }

  /** Adds a number of events, or an amount. */
  public void add(E constant, long number) {
    counters.add(index(constant), number);
  }

  /** Returns the sum since the start. */
  public long get(E constant) {
    return counters.get(index(constant));
  }

  @SuppressWarnings("EnumOrdinal") // the indices are of this object alone
  private int index(E constant) {
    return constant.ordinal();
  }
}

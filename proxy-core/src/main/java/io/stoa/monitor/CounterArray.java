// SPDX-License-Identifier: Apache-2.0
package io.stoa.monitor;

import java.util.Arrays;
import java.util.concurrent.atomic.LongAdder;

/**
 * A counter for each constant of an enum. Thread-safe.
 *
 * @param <E> the enum
 */
final class CounterArray<E extends Enum<E>> {
  private final LongAdder[] counters;

  CounterArray(Class<E> constants) {
    counters = new LongAdder[constants.getEnumConstants().length];
    Arrays.setAll(counters, index -> new LongAdder());
  }

  void increment(E constant) {
    counters[constant.ordinal()].increment();
  }

  long get(E constant) {
    return counters[constant.ordinal()].sum();
  }
}

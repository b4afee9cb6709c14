// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;

/**
 * Bounds of the values of a key, found by trying values. The records that a key configures have the
 * rules, so no bound is written twice.
 *
 * <p>Only rules that name no other key count. Between its bounds, a value may still be refused.
 *
 * <p>Threading: immutable.
 */
record NumberBounds(int minimum, int maximum) {
  /** Finds the bounds of a key whose default lies between them. */
  static NumberBounds of(ConfigKey<Integer> key) {
    IntPredicate within = value -> isWithin(key, value);
    return new NumberBounds(minimum(key.value(), within), maximum(key.value(), within));
  }

  /** Tries 0 and -1 first, because 0 often has a meaning of its own. */
  private static int minimum(int valid, IntPredicate within) {
    if (within.test(0)) {
      return within.test(-1) ? Integer.MIN_VALUE : 0;
    }
    return boundary(valid, 0, within);
  }

  private static int maximum(int valid, IntPredicate within) {
    return within.test(Integer.MAX_VALUE)
        ? Integer.MAX_VALUE
        : boundary(valid, Integer.MAX_VALUE, within);
  }

  /** Returns the last value within the bounds, on the way to one outside, by binary search. */
  private static int boundary(int inside, int outside, IntPredicate within) {
    long near = inside;
    long far = outside;
    while (Math.abs(far - near) > 1) {
      long middle = (near + far) / 2;
      if (within.test((int) middle)) {
        near = middle;
      } else {
        far = middle;
      }
    }
    return (int) near;
  }

  private static boolean isWithin(ConfigKey<Integer> key, int value) {
    List<ConfigException.Problem> problems = new ArrayList<>();
    String text = DefaultsPrinter.print("", Map.of(key, List.of(Integer.toString(value))));
    ConfigAssembly assembly =
        new ConfigAssembly(Settings.partial(ConfigTree.of(text, problems), problems));
    assembly.assemble();
    return !assembly.isOutOfBounds(key);
  }
}

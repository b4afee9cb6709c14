// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache.ghost;

import java.util.Arrays;
import java.util.Random;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/** Keys in the order in which clients ask for them: the same each time. Immutable. */
record Workload(String name, Supplier<IntSupplier> begin) {
  private static final int SEED = 7;
  private static final double EXPONENT = -0.9;
  private static final int SCAN_INTERVAL = 4;

  IntSupplier keys() {
    return begin.get();
  }

  @Override
  public String toString() {
    return name;
  }

  /** Each key is as frequent as any other. */
  static Workload uniform(int keys) {
    return new Workload(
        "uniform",
        () -> {
          Random random = new Random(SEED);
          return () -> random.nextInt(keys);
        });
  }

  /** The frequency of a key is its rank to the power of -0.9. */
  static Workload zipf(int keys) {
    return new Workload("Zipf 0.9", () -> zipfKeys(keys));
  }

  private static IntSupplier zipfKeys(int keys) {
    double[] cumulated = new double[keys];
    double sum = 0;
    for (int rank = 0; rank < keys; rank++) {
      sum += Math.pow(rank + 1, EXPONENT);
      cumulated[rank] = sum;
    }
    double total = sum;
    Random random = new Random(SEED);
    return () -> {
      int found = Arrays.binarySearch(cumulated, random.nextDouble() * total);
      return Math.min(keys - 1, found < 0 ? -found - 1 : found);
    };
  }

  /** One lookup in four reads the next of other keys, each once. */
  static Workload zipfWithScan(int keys) {
    return new Workload(
        "Zipf 0.9 with a scan",
        () -> {
          IntSupplier others = zipfKeys(keys);
          int[] next = {0};
          return () -> {
            int count = next[0]++;
            return count % SCAN_INTERVAL == 0 ? keys + count : others.getAsInt();
          };
        });
  }
}

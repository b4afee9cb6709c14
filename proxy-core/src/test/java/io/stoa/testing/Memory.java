// SPDX-License-Identifier: Apache-2.0
package io.stoa.testing;

/** What this process has on its heap. */
public final class Memory {
  private Memory() {}

  /** Octets in use after a collection. */
  public static long heapInUse() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }
}

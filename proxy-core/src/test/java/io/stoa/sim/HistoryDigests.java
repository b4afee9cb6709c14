// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim;

import io.stoa.sim.check.Recording;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32;

/** What has come of histories, as one number each. Stateless. */
public final class HistoryDigests {
  private HistoryDigests() {}

  /** Prints those of the histories with a feed from the first seed to the last one. */
  public static void main(String[] args) {
    long last = Long.parseLong(args[1]);
    for (long seed = Long.parseLong(args[0]); seed <= last; seed++) {
      System.out.println(line(seed));
    }
  }

  static String line(long seed) {
    Recording recording = new Simulation(Program.fed(seed)).run().recording();
    CRC32 sum = new CRC32();
    sum.update(recording.toString().getBytes(StandardCharsets.UTF_8));
    return "history %d: %08x".formatted(seed, sum.getValue());
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The versions of some entries, oldest first, and when each of them was acknowledged. Judges how
 * old an answer was when it was asked for. Thread-safe.
 */
final class OracleVersions {
  private static final long PENDING = Long.MAX_VALUE;

  private final Map<Integer, List<Version>> all = new HashMap<>();
  private long worst;
  private long judged;

  /** One version of an entry, and since when it is acknowledged, in nanoseconds. Immutable. */
  private record Version(String text, long since) {}

  /** A version is about to be written: from now on somebody may read it. */
  synchronized void begin(int entry, String text) {
    all.computeIfAbsent(entry, any -> new ArrayList<>()).add(new Version(text, PENDING));
  }

  /** The last version of an entry is acknowledged now: no older one is to be read for long. */
  synchronized void acknowledge(int entry) {
    List<Version> versions = all.getOrDefault(entry, List.of());
    int last = versions.size() - 1;
    versions.set(last, new Version(versions.get(last).text(), System.nanoTime()));
  }

  /**
   * Judges one answer.
   *
   * @param sent when the request was about to be sent
   * @return how old the answer was then, in nanoseconds: at most 0 if it was the last version
   */
  synchronized long judge(int entry, String text, long sent) {
    List<Version> versions = all.getOrDefault(entry, List.of());
    for (int i = versions.size() - 1; i >= 0; i--) {
      if (versions.get(i).text().equals(text)) {
        boolean last = i == versions.size() - 1 || versions.get(i + 1).since() == PENDING;
        long age = last ? 0 : sent - versions.get(i + 1).since();
        judged++;
        worst = Math.max(worst, age);
        return age;
      }
    }
    throw new AssertionError("user." + entry + " never was " + text);
  }

  /** How many answers were judged. */
  synchronized long judged() {
    return judged;
  }

  /** The age of the oldest answer, in milliseconds. */
  synchronized long worstMillis() {
    return TimeUnit.NANOSECONDS.toMillis(worst);
  }
}

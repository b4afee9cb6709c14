// SPDX-License-Identifier: Apache-2.0
package io.stoa.trace;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * When the directory was written to, one write after the other: state {@code n} is the one after
 * the first {@code n} writes. Thread-safe.
 */
final class WriteTimeline {
  /** States that an answer may show, both ends included. */
  record States(int first, int last) {}

  private static final class Write {
    final boolean behind;
    final long begin = System.nanoTime();
    long end;
    boolean over;

    Write(boolean behind) {
      this.behind = behind;
    }
  }

  private final long maxAge;
  private final List<Write> all = new ArrayList<>();

  /**
   * @param maxAge for how long Stoa may answer from before a write that it was not told of
   */
  WriteTimeline(Duration maxAge) {
    this.maxAge = maxAge.toNanos();
  }

  /** How many have begun: the state of now, or the one that is being made. */
  synchronized int count() {
    return all.size();
  }

  synchronized long behind() {
    return all.stream().filter(write -> write.behind).count();
  }

  /**
   * One is about to be sent.
   *
   * @param behind straight to the directory, so that Stoa does not know of it
   */
  synchronized void begin(boolean behind) {
    all.add(new Write(behind));
  }

  /** It was answered. */
  synchronized void end() {
    Write last = all.get(all.size() - 1);
    last.end = System.nanoTime();
    last.over = true;
  }

  /** The states that may answer a read that was sent and answered then. */
  synchronized States between(long sent, long answered) {
    int last = all.size();
    while (last > 0 && all.get(last - 1).begin - answered > 0) {
      last--;
    }
    int first = last;
    while (first > 0 && !mustBeSeen(all.get(first - 1), sent)) {
      first--;
    }
    return new States(first, last);
  }

  /** What went through Stoa is seen from then on; anything else when old answers are too old. */
  private boolean mustBeSeen(Write write, long sent) {
    long age = sent - write.end;
    return write.over && age > (write.behind ? maxAge : 0);
  }
}

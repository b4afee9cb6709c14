// SPDX-License-Identifier: Apache-2.0
package io.stoa.promise.coherence;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * The versions of one entry that one writer after the other has made, and when: what a read may
 * show that was asked for at one time and answered at another. Thread-safe.
 */
final class EntryHistory {
  private static final long NEVER = Long.MAX_VALUE;

  private final List<Version> versions = new ArrayList<>();

  /** What is there at first. */
  EntryHistory(String first) {
    Version version = new Version(first, System.nanoTime());
    version.answered = version.asked;
    versions.add(version);
  }

  /** One version; under the lock of its history (confined to it). */
  private static final class Version {
    private final String state;
    private final long asked;
    private long answered = NEVER;
    private boolean atOnce;

    Version(String state, long asked) {
      this.state = state;
      this.asked = asked;
    }
  }

  /**
   * It is about to become so.
   *
   * @return its number
   */
  synchronized int begin(String state) {
    versions.add(new Version(state, System.nanoTime()));
    return versions.size() - 1;
  }

  /**
   * The server has answered that it is so; if that is never said, it may be so or not.
   *
   * @param atOnce whether whoever asks from now on is to be shown it
   */
  synchronized void end(int number, boolean atOnce) {
    versions.get(number).answered = System.nanoTime();
    versions.get(number).atOnce = atOnce;
  }

  /** What it was made last. */
  synchronized String last() {
    return versions.get(versions.size() - 1).state;
  }

  /**
   * Whether there was a time at which it was like that: not longer than the bound before the
   * question, nor after the answer.
   */
  synchronized boolean any(long asked, long answered, long bound, Predicate<String> like) {
    long until = NEVER;
    boolean over = false;
    for (int i = versions.size() - 1; i >= 0 && !over; i--) {
      Version version = versions.get(i);
      if (version.asked <= answered && like.test(version.state)) {
        return true;
      }
      until = Math.min(until, version.answered);
      over = until < asked - bound || (version.atOnce && version.answered < asked);
    }
    return false;
  }

  /** The number of the last version of which the server had answered by then that it is so. */
  synchronized int settled(long when) {
    int last = versions.size() - 1;
    while (last > 0 && versions.get(last).answered > when) {
      last--;
    }
    return last;
  }

  /** For people. */
  synchronized String tail(long now) {
    StringBuilder text = new StringBuilder();
    for (Version version : versions.subList(Math.max(0, versions.size() - 6), versions.size())) {
      text.append(version.state)
          .append(version.atOnce ? " at once [" : " [")
          .append((version.asked - now) / 1_000)
          .append(' ')
          .append(version.answered == NEVER ? "?" : (version.answered - now) / 1_000)
          .append("] ");
    }
    return text.toString();
  }
}

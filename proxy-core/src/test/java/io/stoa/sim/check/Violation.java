// SPDX-License-Identifier: Apache-2.0
package io.stoa.sim.check;

/**
 * A promise that was not kept. Immutable.
 *
 * @param kind which promise
 * @param what was seen, and what would have been right
 */
public record Violation(Kind kind, String what) {
  /** What is promised. */
  public enum Kind {
    /** An answer is one that the directory would have given within its bound. */
    STATE,
    /** A session reads what it has written, and nothing older than what it has read. */
    SESSION,
    /** Nobody is shown what is hidden from him. */
    LEAK,
    /** When all is quiet, answers are what the directory holds. */
    QUIET,
    /** What the proxy tells of its memory is so. */
    TIME,
    /** Nothing is kept that nobody can use. */
    MEMORY,
    /** Whatever is asked is answered. */
    UNANSWERED
  }

  @Override
  public String toString() {
    return kind + ": " + what;
  }
}

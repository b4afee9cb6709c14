// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation.event;

import java.util.Locale;

/** How the caches took part in the answer to an operation. */
public enum CacheOutcome {
  /** The caches took no part: a bind, a write, or an answer of Stoa itself. */
  NONE,
  /** The answer came from memory. */
  HIT,
  /** The answer came from memory and was stale, since no directory server was usable. */
  STALE,
  /** The operation joined an equal search in flight. */
  JOINED,
  /** A directory server answered, and the answer could be stored. */
  MISS,
  /** A directory server answered, and the answer must not be stored. */
  BYPASS;

  private final String word = name().toLowerCase(Locale.ROOT);

  /** Returns the word for logs and labels. */
  public String word() {
    return word;
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.operation;

import io.stoa.ldap.protocol.LdapResultCode;
import io.stoa.ldap.protocol.OpType;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAccumulator;

/**
 * Counts the results of client operations by type and result code.
 *
 * <p>Successes are not counted one by one, since each cache hit is one. {@link #successes} derives
 * them from the operations that have ended. Their number is exact when no operation is about to
 * end.
 *
 * <p>Threading: thread-safe.
 */
public final class ResultCounters {
  private final Map<OpType, EnumCounters<LdapResultCode>> failures = new EnumMap<>(OpType.class);
  private final EnumCounters<OpType> unanswered = new EnumCounters<>(OpType.class);

  /** The highest number of successes that was returned for each type. */
  private final Map<OpType, LongAccumulator> highest = new EnumMap<>(OpType.class);

  /** Creates counters at 0. */
  public ResultCounters() {
    for (OpType type : OpType.values()) {
      if (type.isRequest()) {
        failures.put(type, new EnumCounters<>(LdapResultCode.class));
        highest.put(type, new LongAccumulator(Math::max, 0));
      }
    }
  }

  /** Counts a result with a code other than success. */
  public void countFailure(OpType type, int code) {
    ofType(type).increment(LdapResultCode.of(code));
  }

  /** Counts an operation that has ended without a result. */
  public void countUnanswered(OpType type) {
    unanswered.increment(type);
  }

  /** Returns the number of results with a code other than success. */
  public long failures(OpType type, LdapResultCode code) {
    return ofType(type).get(code);
  }

  /**
   * Returns the number of successes. A scraper takes a counter that decreases for a restart, so the
   * number never does.
   *
   * @param completed operations of this type that have ended, read before the call
   */
  long successes(OpType type, long completed) {
    long number = completed - unanswered.get(type);
    for (LdapResultCode code : LdapResultCode.values()) {
      number -= failures(type, code);
    }
    LongAccumulator max = Objects.requireNonNull(highest.get(type));
    max.accumulate(number);
    return max.get();
  }

  private EnumCounters<LdapResultCode> ofType(OpType type) {
    return Objects.requireNonNull(failures.get(type));
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

/**
 * What a filter is for an entry: one of the three values of RFC 4511, or not known which.
 * Immutable.
 */
public enum Truth {
  TRUE(Truth.T),
  FALSE(Truth.F),

  /** For the directory it is Undefined: no match, and none for the negation either. */
  UNDEFINED(Truth.U),

  /** Either FALSE or UNDEFINED: no match, but the negation may be one. */
  NO_MATCH(Truth.F | Truth.U),

  /** Stoa cannot tell what the directory would take it for. */
  UNKNOWN(Truth.T | Truth.F | Truth.U);

  private static final int T = 1;
  private static final int F = 2;
  private static final int U = 4;
  private static final Truth[] ALL = values();

  /** What it may be, a bit for each. */
  private final int possible;

  Truth(int possible) {
    this.possible = possible;
  }

  public Truth and(Truth other) {
    int both = possible & other.possible & T;
    both |= (possible | other.possible) & F;
    boolean undefined = isPossible(U) && other.isPossible(T | U);
    boolean otherUndefined = other.isPossible(U) && isPossible(T | U);
    return of(both | (undefined || otherUndefined ? U : 0));
  }

  public Truth or(Truth other) {
    int either = (possible | other.possible) & T;
    either |= possible & other.possible & F;
    boolean undefined = isPossible(U) && other.isPossible(F | U);
    boolean otherUndefined = other.isPossible(U) && isPossible(F | U);
    return of(either | (undefined || otherUndefined ? U : 0));
  }

  public Truth not() {
    return of((possible & U) | (isPossible(T) ? F : 0) | (isPossible(F) ? T : 0));
  }

  /** Whether the directory may return the entry. */
  public boolean mayBeTrue() {
    return isPossible(T);
  }

  private boolean isPossible(int any) {
    return (possible & any) != 0;
  }

  /** The narrowest that leaves all of these open. */
  private static Truth of(int possible) {
    for (Truth truth : ALL) {
      if ((possible & ~truth.possible) == 0) {
        return truth;
      }
    }
    throw new IllegalStateException("UNKNOWN is anything");
  }
}

// SPDX-License-Identifier: Apache-2.0
package io.stoa.ldap.filter;

/**
 * The value of a filter for an entry: one of the three values of RFC 4511, or a set of possible
 * ones.
 *
 * <p>Threading: immutable.
 */
public enum Truth {
  TRUE(Truth.T),
  FALSE(Truth.F),

  /** Undefined for the directory: neither the filter nor its negation matches. */
  UNDEFINED(Truth.U),

  /** FALSE or UNDEFINED: the filter does not match, but its negation may. */
  NO_MATCH(Truth.F | Truth.U),

  /** Stoa cannot determine the directory's value. */
  UNKNOWN(Truth.T | Truth.F | Truth.U);

  private static final int T = 1;
  private static final int F = 2;
  private static final int U = 4;
  private static final Truth[] ALL = values();

  /** The possible values, one bit for each. */
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

  /** True if the directory may return the entry. */
  public boolean mayBeTrue() {
    return isPossible(T);
  }

  private boolean isPossible(int any) {
    return (possible & any) != 0;
  }

  /** Returns the narrowest constant that allows all these values. */
  private static Truth of(int possible) {
    for (Truth truth : ALL) {
      if ((possible & ~truth.possible) == 0) {
        return truth;
      }
    }
    throw new IllegalStateException("UNKNOWN is anything");
  }
}

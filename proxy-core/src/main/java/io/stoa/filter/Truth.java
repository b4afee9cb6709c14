// SPDX-License-Identifier: Apache-2.0
package io.stoa.filter;

/** What a filter is for an entry: one of the three values of RFC 4511, or not known. Immutable. */
public enum Truth {
  TRUE,
  FALSE,

  /** For the directory it is Undefined: no match, and none for the negation either. */
  UNDEFINED,

  /** Stoa cannot tell which of the three the directory would take it for. */
  UNKNOWN;

  public Truth and(Truth other) {
    if (this == FALSE || other == FALSE) {
      return FALSE;
    }
    return weaker(this, other, TRUE);
  }

  public Truth or(Truth other) {
    if (this == TRUE || other == TRUE) {
      return TRUE;
    }
    return weaker(this, other, FALSE);
  }

  public Truth not() {
    return switch (this) {
      case TRUE -> FALSE;
      case FALSE -> TRUE;
      case UNDEFINED, UNKNOWN -> this;
    };
  }

  /** Whether the directory may return the entry. */
  public boolean mayBeTrue() {
    return this == TRUE || this == UNKNOWN;
  }

  private static Truth weaker(Truth one, Truth other, Truth neither) {
    if (one == UNKNOWN || other == UNKNOWN) {
      return UNKNOWN;
    }
    return one == UNDEFINED || other == UNDEFINED ? UNDEFINED : neither;
  }
}

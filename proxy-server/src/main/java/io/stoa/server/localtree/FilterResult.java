// SPDX-License-Identifier: Apache-2.0
package io.stoa.server.localtree;

/** Result of a filter (RFC 4511, section 4.5.1.7). */
enum FilterResult {
  /** The entry matches. */
  TRUE,
  /** The entry does not match. */
  FALSE,
  /** The result is not known, for instance because the attribute is unknown. Does not match. */
  UNDEFINED;

  static FilterResult of(boolean value) {
    return value ? TRUE : FALSE;
  }

  FilterResult and(FilterResult other) {
    if (this == FALSE || other == FALSE) {
      return FALSE;
    }
    return this == TRUE ? other : this;
  }

  FilterResult or(FilterResult other) {
    return not().and(other.not()).not();
  }

  FilterResult not() {
    return switch (this) {
      case TRUE -> FALSE;
      case FALSE -> TRUE;
      case UNDEFINED -> UNDEFINED;
    };
  }
}

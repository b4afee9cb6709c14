// SPDX-License-Identifier: Apache-2.0
package io.stoa.cache;

/**
 * For which size limits of a request (RFC 4511, section 4.5.1.4) the directory is known to give the
 * whole of a result. A directory may limit requests without a limit more than those with one, and
 * may refuse requests with a large one; so one proves nothing about the other, and a large limit is
 * not proved by a small one. Immutable.
 *
 * @param none whether a request without a limit got the whole result
 * @param most the largest limit with which a request got the whole result; 0 if there was none
 */
record SizeLimits(boolean none, int most) {
  /** What a whole result proves that was got with a limit. */
  static SizeLimits of(int limit) {
    return new SizeLimits(limit == 0, limit);
  }

  SizeLimits and(SizeLimits other) {
    return new SizeLimits(none || other.none, Math.max(most, other.most));
  }

  /**
   * Whether the directory would answer a request with this limit from the whole result.
   *
   * @param count entries in the result: a limit that is no larger was not refused without a limit
   */
  boolean prove(int limit, int count) {
    return limit == 0 ? none : limit <= most || (none && limit <= Math.max(count, 1));
  }
}
